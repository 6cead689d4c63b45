import type { Worker } from 'node:cluster'

/** What node:cluster sends with a connection that it hands to a worker. */
interface NewConnection {
  readonly cmd: 'NODE_CLUSTER'
  readonly act: 'newconn'
  readonly seq: number
}

/** How often to check whether everything that a worker sent was read. */
const readEveryMs = 20

interface Closable {
  close(): void
}

/**
 * Closes the connection that was being handed to a worker when the worker ended. node:cluster hands
 * over one connection at a time to a worker, forgets it when the worker ends before it has
 * acknowledged it, and never closes it: its client would wait for ever.
 *
 * The messages are internal to node (lib/internal/cluster/round_robin_handle.js). If they change, no
 * connection is found here, and test/service/start.test.ts fails.
 */
export function closeUnacknowledged(worker: Worker): void {
  const { process } = worker
  const { send } = process
  let handed: { readonly seq: number; readonly connection: Closable } | undefined
  process.send = (...given: unknown[]): boolean => {
    const [message, connection] = given
    if (isNewConnection(message) && isClosable(connection)) {
      handed = { seq: message.seq, connection }
    }
    return Reflect.apply(send, process, given)
  }
  process.on('internalMessage', (message: { readonly ack?: unknown } | undefined) => {
    if (message?.ack === handed?.seq) handed = undefined
  })
  const close = (): void => {
    // The acknowledgement may have been sent but not read yet. No event says when everything was read:
    // `disconnect` itself waits for the acknowledgement.
    if (process.connected) setTimeout(close, readEveryMs)
    else handed?.connection.close()
  }
  process.once('exit', close)
}

function isNewConnection(message: unknown): message is NewConnection {
  const { cmd, act, seq } = (message ?? {}) as Partial<NewConnection>
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number'
}

function isClosable(connection: unknown): connection is Closable {
  return typeof (connection as Partial<Closable> | undefined)?.close === 'function'
}
