#!/bin/sh
# A sub-benchmark from outside runs; one for another interface is refused.
. "$(dirname "$0")/lib.sh"

lines=$(wc -l <"$PARIO_EXAMPLES/plugin/metadata.c")
[ "$lines" -lt 100 ] || fail "the example has $lines lines"
prio 2 "$PARIO_EXAMPLES/plugin/metadata.prio" target --plugin "$PARIO_PLUGIN" \
    -q -o out.json
check out.json "d['valid'] and len(of(test='metadata')) == 3 and
    all(x['operations'] == 4000 and x['operations_per_s'] > 0 for x in m)"
# What its keywords said is in the document.
check out.json "all(x['parameters']['files'] == 2000 for x in m)"
# A plug-in from outside is not part of the single value.
check out.json "s['priomark_total_mbps'] is None"

printf '[metadata]\nfiles none\n' >wrong.prio
refuse 'wrong.prio:2: ' 1 wrong.prio target --plugin "$PARIO_PLUGIN"
for version in "2 $PARIO_PLUGIN_OLD" "99 $PARIO_PLUGIN_NEW"; do
    refuse "version ${version%% *} of the plug-in interface, this pario has version 3" \
        1 wrong.prio target --plugin "${version#* }"
done
printf '[flawed]\n' >flawed.prio
refuse 'keyword depth has no known type, or lies outside' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_OUTSIDE"
refuse 'need values_size and defaults' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_NO_DEFAULTS"
# A name that measures or sections have already would be lost.
refuse 'keyword directory has a meaning' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_PARAMETER"
refuse 'keyword repetitions has a meaning' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_KEYWORD"
refuse 'keyword access has a meaning' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_MEMBER"
# One process does not measure: all end, with its reason.
status=0
prio 2 flawed.prio target --plugin "$PARIO_PLUGIN_UNMEASURED" >out 2>err ||
    status=$?
[ "$status" -eq 1 ] || fail "status $status: $(cat err)"
grep -q 'returned without having measured' err || fail "$(cat err)"

# One that moves data: its bytes are counted and checked ...
prio 2 "$PARIO_EXAMPLES/plugin/journal.prio" target \
    --plugin "$PARIO_PLUGIN_JOURNAL" -q -o journal.json
check journal.json "d['valid'] and len(of(test='journal')) == 2 and
    all(x['bytes'] == 2 * 200 * 8192 and x['operations'] == 400 and
        x['verify']['checked_bytes'] == x['bytes'] for x in m)"
# ... and a write that is lost is found.
status=0
PARIO_FAULT='op=write,nth=7,path=journal.0,drop' LD_PRELOAD=$PARIO_FAULT_LIBRARY \
    prio 1 "$PARIO_EXAMPLES/plugin/journal.prio" target \
    --plugin "$PARIO_PLUGIN_JOURNAL" -q -o lost.json >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a lost record: status $status: $(cat err)"
check lost.json "not d['valid'] and any(x['verify']['errors'] > 0 for x in m)"
refuse 'cannot load the plug-in' 1 wrong.prio target --plugin ./none.so
refuse 'unknown sub-benchmark' 1 wrong.prio target

# A file may be somebody else's: it loads nothing.
printf '[prio]\nplugin %s\n' "$PARIO_PLUGIN" >config
refuse 'config:2: plugin: only the command line may say this' 1 \
    "$PARIO_EXAMPLES/plugin/metadata.prio" target --config config
