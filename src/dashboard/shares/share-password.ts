import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Limiter } from '../../platform/process/limiter.ts'

/** OWASP Password Storage Cheat Sheet, "scrypt": 32 MiB, three times. It takes about a quarter of a second. */
const cost = { N: 2 ** 15, r: 8, p: 3 } as const
/** `128 * N * r` and a little more, which node:crypto would refuse by default. */
const maxmem = 40 * 1024 * 1024
const keyBytes = 32
const saltBytes = 16

/** Visitors whose passwords may wait to be checked. That uses the threads that read files, so one is checked at a time. */
const maxVisitors = 17
const turns = new Limiter(1)
let visitors = 0

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Salt and scrypt of a password, for `isPassword`. */
export async function hashPassword(password: string, signal: AbortSignal): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await keyOf(password, salt, signal)
  return `${salt.toString('base64url')}.${key.toString('base64url')}`
}

/**
 * Does what checks a password, or returns undefined at once if too many visitors wait: who is sent away has not made
 * an attempt.
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
  // Keyboards write the same letter in one or two characters.
  const text = password.normalize('NFC')
  return turns.run(signal, () => derive(text, salt, keyBytes, { ...cost, maxmem }))
}
