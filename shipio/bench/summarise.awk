# summarise.awk - medians, best contenders and geometric means of ratios from
# the samples of bench-shipio; Markdown on standard output, medians.csv beside.
BEGIN { FS = ","; OFS = "," }
NR == 1 { next }
{
    if ($11 != "ok") { bad[$3 " " $5]++; next }
    k = $2 FS $5 FS $6 FS $7
    if (!(k in set)) { order[++cases] = k; set[k] = $4 }
    s = k SUBSEP $3
    if (!(s in count)) {
        names[k] = names[k] (names[k] == "" ? "" : " ") $3
    }
    value[s, ++count[s]] = $10 + 0
}
function median(s,    n, i, j, t, a) {
    n = count[s]
    for (i = 1; i <= n; i++) a[i] = value[s, i]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
            t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
        }
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}
function note(group, what, ratio) {
    if (ratio <= 0) return
    logsum[group, what] += log(ratio)
    number[group, what]++
    if (!((group, what) in least) || ratio < least[group, what]) {
        least[group, what] = ratio
        where[group, what] = label
    }
}
function mean(group, what) {
    if (!number[group, what]) return "–"
    return sprintf("%.2f (%d; least %.2f %s)",
        exp(logsum[group, what] / number[group, what]),
        number[group, what], least[group, what], where[group, what])
}
function show(x) { return x > 0 ? sprintf("%.0f", x) : "–" }
function over(a, b) { return a > 0 && b > 0 ? sprintf("%.2f", a / b) : "–" }
END {
    csv = out "/medians.csv"
    print "folder,work,processes,access,contender,samples,median_mbps" > csv
    print "| set | folder | work | procs | access | best default | best tuned |" \
        " shipio ompi | shipio mpich | contig | direct | / default | / tuned |" \
        " / contig |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (c = 1; c <= cases; c++) {
        k = order[c]
        split(k, f, FS)
        def = tuned = ompi = mpich = contig = direct = 0
        romio = ompio = 0
        defname = tunedname = ""
        n = split(names[k], list, " ")
        for (i = 1; i <= n; i++) {
            m = median(k SUBSEP list[i])
            print f[1], f[2], f[3], f[4], list[i], count[k SUBSEP list[i]], m > csv
            if (list[i] == "shipio-ompi") ompi = m
            else if (list[i] ~ /^shipio-mpich/) { if (m > mpich) mpich = m }
            else if (list[i] == "contiguous") contig = m
            else if (list[i] == "direct") direct = m
            else {
                if (list[i] ~ /-def$/ && list[i] !~ /^oromio/ && m > def) {
                    def = m; defname = list[i]
                }
                if (m > tuned) { tuned = m; tunedname = list[i] }
                if (list[i] == "ompi-def") ompio = m
                else if (m > romio) romio = m
            }
        }
        ship = ompi > mpich ? ompi : mpich
        g = set[k]
        label = f[2] "/" f[3] "/" f[4] "/" f[1]
        if (def > 0) {
            note(g, "default", ship / def); note(g, "default-ompi", ompi / def)
            note(g, "default-mpich", mpich / def)
        }
        if (tuned > 0) {
            note(g, "tuned", ship / tuned); note(g, "tuned-ompi", ompi / tuned)
            note(g, "tuned-mpich", mpich / tuned)
        }
        if (contig > 0) note("SL", "contig", ship / contig)
        if (g == "P" && romio > 0) note(g, "romio", ship / romio)
        if (g == "P" && ompio > 0) note(g, "ompio", ship / ompio)
        printf "| %s | %s | %s | %s | %s | %s %s | %s %s | %s | %s | %s | %s | %s | %s | %s |\n", \
            g, f[1], f[2], f[3], f[4], show(def), defname, show(tuned), \
            tunedname, show(ompi), show(mpich), show(contig), show(direct), \
            over(ship, def), over(ship, tuned), over(ship, contig)
    }
    print ""
    print "MB/s. Geometric means of ratios (number of figures; the smallest):"
    print ""
    print "| | shipio, better MPI | shipio on Open MPI | shipio on MPICH |"
    print "|---|---|---|---|"
    for (i = 1; i <= 4; i++) {
        g = substr("SLGD", i, 1)
        print "| " g " / best default | " mean(g, "default") " | " \
            mean(g, "default-ompi") " | " mean(g, "default-mpich") " |"
        print "| " g " / best tuned | " mean(g, "tuned") " | " \
            mean(g, "tuned-ompi") " | " mean(g, "tuned-mpich") " |"
    }
    print "| P / best ROMIO | " mean("P", "romio") " | | |"
    print "| P / OMPIO | " mean("P", "ompio") " | | |"
    print "| S and L / contiguous | " mean("SL", "contig") " | | |"
    for (b in bad) print "\nNot counted, wrong data or failed: " b ", " bad[b] " samples"
}
