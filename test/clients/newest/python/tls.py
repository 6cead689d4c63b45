"""TLS in front of a gateway, as a reverse proxy ends it."""

import contextlib
import socket
import socketserver
import ssl
import threading
import urllib.parse

from place import run


def tls_in_front_of(url):
    """The port of a server with a certificate of its own, which passes everything on to the server of the URL."""
    to = urllib.parse.urlsplit(url)
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
        "-keyout", "tls.key", "-out", "tls.crt")  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("tls.crt", "tls.key")

    def pass_on(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            with context.wrap_socket(self.request, server_side=True) as client:
                with socket.create_connection((to.hostname, to.port)) as gateway:
                    back = threading.Thread(target=pass_on, args=(gateway, client))
                    back.start()
                    pass_on(client, gateway)
                    back.join()

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
