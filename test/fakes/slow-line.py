"""
A slow, uneven line: a TCP proxy for slow-line.ts. Python, because Node cannot set the options of a TCP
socket that make the window small.

It prints its port as the first line and ends when its standard input is closed. The speed of each direction
of a connection, its pauses and the size of what is passed on at once come from the seed, the number of the
connection and the direction.
"""

import json
import random
import socket
import struct
import sys
import threading
import time

MEBIBYTE = 1024 * 1024
# A sleep takes about this much longer than asked for: shorter ones are added up.
SHORTEST_SLEEP = 0.003


def listen(options, choice):
    listener = socket.socket()
    # Accepted sockets inherit both. A small segment keeps the sender's buffer small, too: Linux makes
    # room for a number of segments, which are 64 KiB on the loopback.
    limit_window(listener, choice, options)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener


def limit_window(sock, choice, options):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, choice.choice(options["windows"]))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, choice.choice(options["segments"]))


class Pace:
    """How fast one direction of one connection is at this moment."""

    def __init__(self, choice, options):
        self.choice = choice
        self.options = options
        self.left = 0
        self.until_pause = choice.expovariate(1 / options["pauseEvery"])
        self.due = time.monotonic()

    def next_size(self):
        return int(self.options["largestChunk"] ** self.choice.random())

    def wait(self, size):
        """Returns when this many more bytes have passed."""
        if self.left <= 0:
            slowest, fastest = self.options["slowest"], self.options["fastest"]
            self.speed = slowest * (fastest / slowest) ** self.choice.random()
            self.left = self.options["speedFor"]
        self.left -= size
        self.until_pause -= size
        now = time.monotonic()
        self.due = max(self.due, now - SHORTEST_SLEEP) + size / self.speed
        if self.until_pause <= 0:
            self.until_pause = self.choice.expovariate(1 / self.options["pauseEvery"])
            self.due += self.choice.uniform(0, self.options["longestPause"])
        if self.due - now >= SHORTEST_SLEEP:
            time.sleep(self.due - now)


class Connection:
    """Both sides of a connection. What one side resets is reset at the other, too: a half of what was sent
    must not look like all of it."""

    def __init__(self, client, server):
        self.sides = (client, server)
        self.is_broken = False

    def pass_on(self, source, target, pace):
        try:
            while True:
                data = source.recv(pace.next_size())
                if not data:
                    break
                pace.wait(len(data))
                target.sendall(data)
            if not self.is_broken:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            self.break_off()

    def break_off(self):
        self.is_broken = True
        for side in self.sides:
            try:
                # Wakes the thread that waits for bytes; nothing is sent.
                side.shutdown(socket.SHUT_RD)
            except OSError:
                pass  # It is not connected any more.

    def close(self):
        for side in self.sides:
            if self.is_broken:
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            side.close()


def serve(client, number, options):
    up, down = [random.Random(f"{options['seed']} {number} {way}") for way in ("up", "down")]
    server = socket.socket()
    connection = Connection(client, server)
    try:
        limit_window(server, up, options)
        server.connect(("127.0.0.1", options["port"]))
        for side in connection.sides:
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        connection.is_broken = True
        connection.close()
        return
    way_down = threading.Thread(target=connection.pass_on, args=(server, client, Pace(down, options)))
    way_down.start()
    connection.pass_on(client, server, Pace(up, options))
    way_down.join()
    connection.close()


def accept_all(listener, options):
    number = 0
    while True:
        client, _ = listener.accept()
        number += 1
        threading.Thread(target=serve, args=(client, number, options), daemon=True).start()


def main():
    options = json.loads(sys.argv[1])
    options["speedFor"] = 2 * MEBIBYTE
    listener = listen(options, random.Random(options["seed"]))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=accept_all, args=(listener, options), daemon=True).start()
    sys.stdin.read()


main()
