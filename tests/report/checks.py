"""How a check of this folder's tests fails, and how a test ends."""
import sys

SHOWN = 3000  # characters of what the program printed
failures = 0


def expect(condition, what, result):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}\n  status {result.returncode}\n"
              f"  stdout: {(result.stdout or '')[:SHOWN]}\n  stderr: {result.stderr}")


def finish():
    sys.exit(failures != 0)
