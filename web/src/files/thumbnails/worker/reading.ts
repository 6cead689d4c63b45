import type { ReadingMessage } from '../../../threads/run-thread.ts'

let reads = 0

/** Waits for data that is read, and tells the page, whose limit of time is that of other work. */
export async function reading<Data>(data: Promise<Data>): Promise<Data> {
  reads += 1
  if (reads === 1) say({ isReading: true })
  try {
    return await data
  } finally {
    reads -= 1
    if (reads === 0) say({ isReading: false })
  }
}

function say(message: ReadingMessage): void {
  postMessage(message)
}
