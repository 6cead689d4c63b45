import { randomBytes } from 'node:crypto'

const idDigits = 16
const idsPerPool = 256

let pool = ''
let position = 0

/** 64 random bits as 16 upper-case hex digits, the look of AWS's request ids. */
export function newRequestId(): string {
  if (position === pool.length) {
    // One call for many ids: a call of its own for each costs more than the rest of the request.
    pool = randomBytes((idsPerPool * idDigits) / 2)
      .toString('hex')
      .toUpperCase()
    position = 0
  }
  position += idDigits
  return pool.slice(position - idDigits, position)
}
