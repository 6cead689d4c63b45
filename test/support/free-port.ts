import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that Linux gives to connections, and to servers that name none (ip_local_port_range). */
const [firstPort, endPort] = [12_000, 32_000]

/**
 * A port of the loopback on which no process listens now. No other test gets it while this process runs, also if
 * the server that has it is started later, or stops for a while.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Takes the UDP port of this number, which no server of the tests needs. Returns whether nobody had it. */
async function isReserved(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  if (!(await begins(socket))) return false
  socket.unref()
  return true
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  if (!(await begins(server))) return false
  server.close()
  await once(server, 'close')
  return true
}

async function begins(emitter: EventEmitter): Promise<boolean> {
  try {
    await once(emitter, 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}
