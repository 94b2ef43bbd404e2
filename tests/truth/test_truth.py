#!/usr/bin/env python3
"""The referee's own judgement, on documents and logs that are made up."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rows import Row
from truth import READS, WRITES, directions_of, judge

MB = 10 ** 6
SECOND = 10 ** 9


class MadeUpDevice:
    counts = True
    write_limit, read_limit = 50 * MB, 100 * MB


def traffic(begin_s=0.0, end_s=0.0, count=0, passes=1):
    return {"begin_ns": int(begin_s * SECOND), "end_ns": int(end_s * SECOND),
            "bytes": count, "distinct_bytes": count // passes,
            "calls": count // MB, "unit": 0, "marks": []}


def written(count, begin_s, end_s, seen=None, passes=1):
    """One stretch: written and synced from begin to end."""
    seen = count if seen is None else seen
    return {"rank": 0, "pid": 1, "file": "/device/data",
            "free_ns": int((begin_s - 0.001) * SECOND),
            "next_ns": int((end_s + 0.001) * SECOND), "closed": True,
            "sync_end_ns": int(end_s * SECOND), "syncs": 1,
            "waited_ns": [0, 0],
            "read": traffic(), "write": traffic(begin_s, end_s, count, passes),
            "device_read": [0, 0], "device_written": [0, seen]}


def measure(count, seconds, **more):
    document = {"test": "made up", "access": "write", "bytes": count,
                "seconds": seconds, "cache": "disk", "error": None,
                "verify": {"errors": 0}, "device_bytes": count, "flags": []}
    document.update(more)
    return document


def verdict(what, log, row=None):
    document = {"valid": True, "measures": [what]}
    found = judge(row or Row("made-up", ["prio"]), document, log,
                  MadeUpDevice())
    return found[0].word()


class Judging(unittest.TestCase):
    log = [written(100 * MB, 10.0, 12.0)]  # just as fast as the device

    def test_true_figure_agrees(self):
        self.assertEqual(verdict(measure(100 * MB, 2.0), self.log), "agrees")

    def test_short_time_is_wrong(self):
        self.assertEqual(verdict(measure(100 * MB, 1.8), self.log), "WRONG")

    def test_long_time_is_wrong(self):
        self.assertEqual(verdict(measure(100 * MB, 2.3), self.log), "WRONG")

    def test_opening_may_take_as_long_as_it_waited_for_a_core(self):
        def judged(waited_s):
            log = [dict(written(100 * MB, 10.0, 12.0), waited_ns=[0, 0],
                        file="/device/x-type0"),
                   dict(written(100 * MB, 15.0, 17.0),
                        waited_ns=[int(waited_s * SECOND)] * 2,
                        file="/device/x-type1")]
            row = Row("made-up", ["prio"], whole=True)
            document = {"valid": True, "measures": [
                measure(100 * MB, 2.05, test="type0_total"),
                measure(100 * MB, 2.9, test="type1_total")]}
            return [v.word() for v in judge(row, document, log,
                                            MadeUpDevice())]

        self.assertEqual(judged(0.0), ["agrees", "WRONG"])
        self.assertEqual(judged(0.7), ["agrees", "agrees"])
        self.assertEqual(judged(0.1), ["agrees", "WRONG"])

    def test_what_is_read_back_between_writes_is_no_read_of_a_type(self):
        def stretch(begin_s, end_s, reads, writes, seen):
            return dict(written(writes, begin_s, end_s), file="/device/x-type0",
                        read=traffic(begin_s, end_s, reads),
                        device_read=[0, seen])

        claim = measure(100 * MB, 1.0, test="type0_total", access="read")
        back = stretch(10.0, 11.0, 100 * MB, 1 * MB, 0)
        read = stretch(20.0, 21.0, 100 * MB, 0, 100 * MB)
        document = {"valid": True, "measures": [claim]}
        row = Row("made-up", ["prio"], whole=True)
        for log, word in (([back, read], "agrees"), ([back], "WRONG")):
            self.assertEqual(judge(row, document, log,
                                   MadeUpDevice())[0].word(), word)

    def test_time_that_is_called_a_pause_is_wrong(self):
        """It fits the clock, but no device is as fast as that."""
        liar = measure(100 * MB, 1.0, pause_s=1.0)
        self.assertEqual(verdict(liar, self.log), "WRONG")

    def test_pause_that_was_one_agrees(self):
        slow = [written(100 * MB, 10.0, 13.0)]
        self.assertEqual(verdict(measure(100 * MB, 2.0, pause_s=1.0), slow),
                         "agrees")

    def test_unseen_time_is_believed_with_its_flag_alone(self):
        paused = measure(100 * MB, 1.0, pause_s=1.0, unseen_s=1.0,
                         flags=["paused"])
        self.assertEqual(verdict(paused, self.log), "flagged")
        self.assertEqual(verdict(dict(paused, flags=[]), self.log), "WRONG")
        # Half of what was left out is owned up to.
        self.assertEqual(verdict(dict(paused, unseen_s=0.5), self.log),
                         "WRONG")

    def test_bursts_after_pauses_are_allowed_once_a_pass(self):
        log = [written(100 * MB, 10.0, 13.0, passes=4)]
        burst = measure(100 * MB, 1.6, pause_s=1.4)
        self.assertEqual(verdict(burst, log), "agrees")
        self.assertEqual(verdict(burst, [written(100 * MB, 10.0, 13.0)]),
                         "WRONG")

    def test_no_pause_is_believed_without_a_limit(self):
        row = Row("made-up", ["prio"], unlimited=True)
        fast = [written(100 * MB, 10.0, 10.5)]
        self.assertEqual(verdict(measure(100 * MB, 0.5), fast, row), "agrees")
        self.assertEqual(verdict(measure(100 * MB, 0.3, pause_s=0.2), fast,
                                 row), "WRONG")

    def test_bytes_that_the_device_did_not_see_are_wrong(self):
        log = [written(100 * MB, 10.0, 12.0, seen=50 * MB)]
        claim = measure(100 * MB, 2.0, device_bytes=50 * MB)
        self.assertEqual(verdict(claim, log), "WRONG")
        self.assertEqual(verdict(dict(claim, cache="mixed"), log), "flagged")
        # What the device is said to have seen is compared, too.
        self.assertEqual(verdict(measure(100 * MB, 2.0, cache="mixed"), log),
                         "WRONG")

    def test_what_two_windows_cover_counts_once(self):
        """One process after the other, and the first closes last."""
        first = written(50 * MB, 10.0, 11.0)
        second = written(50 * MB, 11.5, 12.5)
        first["device_written"] = [0, 100 * MB]
        second["device_written"] = [50 * MB, 100 * MB]
        log = [first, second]
        self.assertEqual(verdict(measure(100 * MB, 2.4), log), "agrees")
        self.assertEqual(verdict(measure(100 * MB, 2.4,
                                         device_bytes=150 * MB), log), "WRONG")

    def test_idle_device_may_be_fast_without_pauses_alone(self):
        """All of its time is on the clock: 100 MB in 1 s is what happened."""
        log = [written(100 * MB, 10.0, 11.0)]
        self.assertEqual(verdict(measure(100 * MB, 1.0), log), "agrees")

    def test_loopback_must_have_seen_what_went_through_it(self):
        def judged(told, counted):
            claim = measure(100 * MB, 2.0, evidence={
                "loopback_interface_bytes": told})
            document = {"valid": True, "measures": [claim],
                        "referee_loopback": counted}
            return judge(Row("made-up", ["nht"]), document, self.log,
                         MadeUpDevice())[0].word()

        self.assertEqual(judged(101 * MB, 105 * MB), "agrees")
        self.assertEqual(judged(101 * MB, 50 * MB), "WRONG")
        self.assertEqual(judged(1 * MB, 105 * MB), "WRONG")

    def test_cache_as_an_excuse_for_what_the_device_saw_is_wrong(self):
        log = [written(100 * MB, 10.0, 12.0, seen=110 * MB)]
        excuse = measure(100 * MB, 2.0, cache="cache", device_bytes=110 * MB)
        self.assertEqual(verdict(excuse, log), "WRONG")

    def test_what_another_program_moved_is_not_the_figures(self):
        class Other:
            def bytes(self, span):
                return 60 * MB

        def judged(cache):
            claim = measure(100 * MB, 2.0, cache=cache)
            return judge(Row("made-up", ["prio"]),
                         {"valid": True, "measures": [claim]}, self.log,
                         MadeUpDevice(), Other())[0].word()

        self.assertEqual(judged("disk"), "WRONG")
        self.assertEqual(judged("mixed"), "flagged")

    def test_flag_that_a_row_demands_must_be_there(self):
        row = Row("made-up", ["prio"], must="cache")
        self.assertEqual(verdict(measure(100 * MB, 2.0), self.log, row),
                         "WRONG")
        self.assertEqual(verdict(measure(100 * MB, 2.0, cache="mixed"),
                                 self.log, row), "flagged")

    def test_figure_without_calls_is_wrong(self):
        self.assertEqual(verdict(measure(100 * MB, 2.0), []), "WRONG")

    def test_short_must_be_said_and_true(self):
        log = [written(2 * MB, 10.0, 10.05)]
        self.assertEqual(verdict(measure(2 * MB, 0.05), log), "WRONG")
        self.assertEqual(verdict(measure(2 * MB, 0.05, short=True), log),
                         "flagged")
        self.assertEqual(verdict(measure(100 * MB, 2.0, short=True),
                                 self.log), "WRONG")


class Directions(unittest.TestCase):
    def test_names_tell_the_direction(self):
        for access, directions in (
                ("rewrite", WRITES), ("write_blocking", WRITES),
                ("update", WRITES), ("panel_read", READS),
                ("update_read", READS), ("backward_read", READS),
                ("random_read_write", READS + WRITES),
                ("mix", READS + WRITES)):
            self.assertEqual(directions_of({"access": access, "bytes": 1}),
                             directions, access)


if __name__ == "__main__":
    unittest.main()
