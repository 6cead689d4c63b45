import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Limiter } from '../../platform/process/limiter.ts'

/** OWASP Password Storage Cheat Sheet, "scrypt": 32 MiB, three times. A hash takes about a quarter of a second. */
const cost = { N: 2 ** 15, r: 8, p: 3 } as const
/** `128 * N * r` and a little more; the default of node:crypto is lower. */
const maxmem = 40 * 1024 * 1024
const keyBytes = 32
const saltBytes = 16

/**
 * The maximum number of visitors whose passwords are being checked or wait for it. Hashing uses the threads that
 * read files, so one password is checked at a time.
 */
const maxVisitors = 17
const turns = new Limiter(1)
let visitors = 0

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Salt and scrypt hash of a password, for `isPassword`. */
export async function hashPassword(password: string, signal: AbortSignal): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await keyOf(password, salt, signal)
  return `${salt.toString('base64url')}.${key.toString('base64url')}`
}

/**
 * Runs a password check, or returns undefined at once if too many visitors are waiting. A visitor who is turned away
 * has not used up an attempt.
 */
export async function amongVisitors<Result>(
  check: () => Promise<Result>,
): Promise<Result | undefined> {
  if (visitors >= maxVisitors) return undefined
  visitors += 1
  try {
    return await check()
  } finally {
    visitors -= 1
  }
}

/** @throws the signal's reason */
export async function isPassword(
  password: string,
  stored: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [salt = '', expected = ''] = stored.split('.')
  const key = await keyOf(password, Buffer.from(salt, 'base64url'), signal)
  return timingSafeEqual(key, Buffer.from(expected, 'base64url'))
}

function keyOf(password: string, salt: Buffer, signal: AbortSignal): Promise<Buffer> {
  // Keyboards may enter the same letter as one character or two.
  const text = password.normalize('NFC')
  return turns.run(signal, () => derive(text, salt, keyBytes, { ...cost, maxmem }))
}
