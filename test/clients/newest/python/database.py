"""A PostgreSQL server of its own, for programs that back one up."""

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

from place import run

programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
user = pwd.getpwnam("postgres")


class Database:
    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"

    def run(self, *command, **settings):
        """Runs a program as the user of the server, which it does not start as root for."""
        return run("runuser", "-u", "postgres", "--", *command, PGHOST=str(self.folder), HOME=str(self.folder), **settings)

    def start(self):
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder}"
        self.run(programs / "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start")

    def recover(self):
        """Starts it on restored files, and returns when it takes writes."""
        self.start()
        end = time.monotonic() + 60
        while self.sql("SELECT pg_is_in_recovery()") == "t":
            assert time.monotonic() < end
            time.sleep(0.1)

    def stop(self):
        self.run(programs / "pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")

    def sql(self, statement):
        return self.run(programs / "psql", "-AtX", "-d", "postgres", "-c", statement).strip()


@contextlib.contextmanager
def database(settings):
    """A running server with these lines in its postgresql.conf, given its folder."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bucketry-newest-"))
    # One that the user of the server may enter.
    os.chdir(folder)
    try:
        shutil.chown(folder, user.pw_uid, user.pw_gid)
        server = Database(folder)
        server.run(programs / "initdb", "-D", server.data, "-A", "trust")
        with open(server.data / "postgresql.conf", "a") as file:
            file.write(settings(folder))
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                server.stop()
    finally:
        shutil.rmtree(folder)
