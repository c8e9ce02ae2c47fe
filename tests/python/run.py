"""run.py MODULE: runs the tests of one file. 77: they cannot run here."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]

if __name__ == "__main__":
    try:
        import numpy
    except ImportError:
        print("skipped: numpy is not installed (Debian: python3-numpy)")
        sys.exit(77)
    print(f"Python {sys.version.split()[0]}, numpy {numpy.__version__}")
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromName(sys.argv[1]))
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    only_skipped = result.testsRun and len(result.skipped) == result.testsRun
    sys.exit(77 if only_skipped else 0 if result.wasSuccessful() and result.testsRun else 1)
