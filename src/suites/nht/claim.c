/* suites/nht/claim.c - the rules of NHT-1. */
#include "suites/nht/claim.h"

#include "result/view.h"
#include "suites/rules.h"

#define LEAST_TC_RUNS 2 /* "the best" of one is none */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

char *nht_claim_lacks(const struct nht_claim *claim, char buf[NHT_CLAIM_LEN])
{
    const struct pario_rule rules[] = {
        {claim->cls->name != 'B', "class B"},
        {claim->dumps.steps != claim->cls->steps ||
             claim->dumps.interval != PARIO_BT_INTERVAL,
         "all steps, and a dump after every fifth"},
        {claim->spread, "the whole solution in one file (2.3)"},
        {!claim->sync, "the data on disk at the end of T_T (--sync)"},
        {!claim->checked, "dumps that were read back (--verify)"},
        {!claim->on_disk, "all of the data seen by the disks"},
        {claim->tc_runs == 0, "a T_C that is measured (no --tc)"},
        {claim->tc_runs > 0 && claim->tc_runs < LEAST_TC_RUNS,
         "the best T_C of at least two runs that verify (--tc-runs)"},
        {!claim->valid, "a valid run"},
    };

    return pario_rules_broken(rules, COUNT(rules), buf, NHT_CLAIM_LEN);
}

char *nht_transfer_lacks(const struct nht_transfer_claim *claim,
                         char buf[NHT_CLAIM_LEN])
{
    const struct pario_rule rules[] = {
        {!claim->over_loopback, "the loopback connection (no --host)"},
        {!claim->by_command, "the system's own command (4.2: --via scp)"},
        {!claim->enough, "80 % of the memory"},
        {!claim->on_disk, "all of the data seen by the disks"},
        {!claim->valid, "a valid run"},
    };

    return pario_rules_broken(rules, COUNT(rules), buf, NHT_CLAIM_LEN);
}

void nht_claim_record(struct pario_result *result, const char *lacks)
{
    if (result == NULL)
        return;
    pario_result_set(result, "summary", "official",
                     json_boolean(lacks[0] == '\0'));
    if (lacks[0] == '\0')
        return;
    pario_result_set(result, "summary", "official_lacks", json_string(lacks));
    pario_view_say(result, "Not an NHT-1 result: that needs %s.", lacks);
}
