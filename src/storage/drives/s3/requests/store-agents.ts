import http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { freeMemory } from '../../../../platform/process/free-memory.ts'

type SocketArguments = Parameters<http.Agent['createConnection']>

/** Sockets of `http:`. */
export class StoreAgent extends http.Agent {
  override createConnection(
    ...options: SocketArguments
  ): ReturnType<http.Agent['createConnection']> {
    return freeingReads(super.createConnection(...options))
  }
}

/** Sockets of `https:`. */
export class SecureStoreAgent extends https.Agent {
  override createConnection(
    ...options: SocketArguments
  ): ReturnType<http.Agent['createConnection']> {
    return freeingReads(super.createConnection(...options))
  }
}

/**
 * The parser of node:http has copied what a socket read when its listeners return. Otherwise V8 would collect all of its
 * memory about every 50 MiB for that: half of the CPU time of a large GET.
 */
function freeingReads<Socket extends Duplex | null | undefined>(socket: Socket): Socket {
  socket?.on('data', (bytes: Buffer) => queueMicrotask(() => freeMemory(bytes)))
  return socket
}
