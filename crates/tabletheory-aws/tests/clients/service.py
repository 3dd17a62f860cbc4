"""moto's KMS on a free port of this machine: prints the address, and ends when its input does."""

import sys

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(f"http://{host}:{port}", flush=True)
# Whoever started this process holds the other end, also when it dies.
sys.stdin.read()
server.stop()
