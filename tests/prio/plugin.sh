#!/bin/sh
# A sub-benchmark from outside runs; one for another interface is refused.
. "$(dirname "$0")/lib.sh"

lines=$(wc -l <"$PARIO_EXAMPLES/plugin/metadata.c")
[ "$lines" -lt 100 ] || fail "the example has $lines lines"
prio 2 "$PARIO_EXAMPLES/plugin/metadata.prio" target --plugin "$PARIO_PLUGIN" \
    -q -o out.json
check out.json "d['valid'] and len(of(test='metadata')) == 3 and
    all(x['operations'] == 4000 and x['operations_per_s'] > 0 for x in m)"
# A plug-in from outside is not part of the single value.
check out.json "s['priomark_total_mbps'] is None"

printf '[metadata]\nfiles none\n' >wrong.prio
refuse 'wrong.prio:2: ' 1 wrong.prio target --plugin "$PARIO_PLUGIN"
refuse 'version 1 of the plug-in interface, this pario has version 2' 1 \
    wrong.prio target --plugin "$PARIO_PLUGIN_OLD"
printf '[flawed]\n' >flawed.prio
refuse 'does not count in the total' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_COUNTS"
refuse 'need own_size and own_defaults' 1 flawed.prio target \
    --plugin "$PARIO_PLUGIN_NO_DEFAULTS"
refuse 'cannot load the plug-in' 1 wrong.prio target --plugin ./none.so
refuse 'unknown sub-benchmark' 1 wrong.prio target

# A file may be somebody else's: it loads nothing.
printf '[prio]\nplugin %s\n' "$PARIO_PLUGIN" >config
refuse 'config:2: plugin: only the command line may say this' 1 \
    "$PARIO_EXAMPLES/plugin/metadata.prio" target --config config
