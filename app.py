"""One deployment: read the configuration, build the stacks. The CDK command line starts this file (see cdk.json).

npx cdk diff -c config=monitoring.yaml
python app.py -c config=monitoring.yaml     # writes cdk.out/
"""

from __future__ import annotations

import sys

from monitoring.synthesis.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
