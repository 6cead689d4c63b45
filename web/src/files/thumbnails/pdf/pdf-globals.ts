/**
 * The globals that pdf.js uses in this thread. This module is imported before pdf.js, which reads them while it loads.
 *
 * pdf.js decompresses whole streams into memory, and 1 MB of a file can become 1 GB. These globals limit that.
 */

/** Bytes of one array: a page of A4 in colour has 104 MB at 600 dots per inch. */
const maxArray = 128 * 1024 * 1024

/** Bytes of all large arrays of a page together: a page may have many large pictures, and pdf.js keeps all of them. */
const maxArrays = 512 * 1024 * 1024

/** Smaller arrays are not counted. */
const largeArray = 1024 * 1024

/** Bytes of all decompressed streams of a page together. */
const maxInflated = 128 * 1024 * 1024

const Bytes: Uint8ArrayConstructor = new Proxy(Uint8Array, {
  construct(target, values: unknown[], self): object {
    if (typeof values[0] === 'number') countArray(values[0])
    return Reflect.construct(target, values, self === Bytes ? target : self)
  },
})

let arraysLeft = maxArrays

function countArray(bytes: number): void {
  if (bytes > maxArray) throw new RangeError('too large')
  if (bytes < largeArray) return
  arraysLeft -= bytes
  if (arraysLeft < 0) throw endThread()
}

const Native = DecompressionStream
let left = maxInflated

/** Bytes that the decompressor gets at a time: it decompresses all of them at once, even if nobody reads the result. */
const pieceBytes = 4 * 1024

class CountedStream {
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
  readonly readable: ReadableStream<Uint8Array>

  constructor(format: CompressionFormat) {
    const { writable, readable } = new Native(format)
    const writer = writable.getWriter()
    this.readable = readable.pipeThrough(new TransformStream({ transform: countBytes }))
    this.writable = new WritableStream({
      async write(bytes) {
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          await writer.write(bytes.subarray(at, at + pieceBytes))
        }
      },
      close: () => writer.close(),
    })
  }
}

function countBytes(bytes: Uint8Array, sink: TransformStreamDefaultController<Uint8Array>): void {
  left -= bytes.length
  // After an error, pdf.js would use its own decompressor. So the thread ends, and the page treats the file as refused.
  if (left < 0) throw endThread()
  sink.enqueue(bytes)
}

/** Call it before each file. */
export function resetLimits(): void {
  arraysLeft = maxArrays
  left = maxInflated
}

function endThread(): Error {
  postMessage({ problem: 'refused' })
  close()
  return new RangeError('too large')
}

Object.assign(globalThis, {
  // As a worker of its own, pdf.js would answer the page by itself (`WorkerMessageHandler` in pdf.worker.mjs).
  window: globalThis,
  Uint8Array: Bytes,
  DecompressionStream: CountedStream,
})
