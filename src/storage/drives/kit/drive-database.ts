/** What drives need of their tables in the database. */
import { hash } from 'node:crypto'
import { DriveError } from '../drive-error.ts'

/**
 * A key of one drive, in tables that several drives share. The keys of the default drive ('') are unchanged. Others begin
 * with the drive's name in capital letters, as no name of a bucket and no identity of a file does.
 */
export function driveKey(drive: string, key: string): string {
  return drive === '' ? key : `${drive}:${key}`
}

export function driveDigest(drive: string, key: string): string {
  return textDigest(driveKey(drive, key))
}

/**
 * Replaces a text of any length and characters in an index: PostgreSQL's indexes accept at most some
 * 2,700 bytes and no NUL. Equal texts have equal digests; their order is lost.
 */
function textDigest(text: string): string {
  return hash('sha256', text, 'base64url')
}

type Method = (...values: unknown[]) => unknown

/**
 * The same store, but its methods fail with DriveErrors of kind `unavailable`.
 *
 * @param what user-facing, such as `the Google Drive index`.
 */
export function withDatabaseErrors<Store extends object>(store: Store, what: string): Store {
  const unavailable = (cause: unknown) =>
    new DriveError('unavailable', `The database with ${what} is not responding.`, { cause })
  const wrapped: Record<string, unknown> = Object.create(store)
  for (const name of memberNames(store)) {
    const member: unknown = Reflect.get(store, name)
    if (typeof member === 'function') wrapped[name] = guarded(member.bind(store), unavailable)
  }
  return wrapped as Store
}

function guarded(method: Method, errorOf: (cause: unknown) => DriveError): Method {
  const fail = (error: unknown) => {
    throw errorOf(error)
  }
  return (...values) => {
    try {
      const result = method(...values)
      return result instanceof Promise ? result.catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }
}

/** The names of an object's own members and of the members of its classes. */
function memberNames(value: object): string[] {
  const names = Object.getOwnPropertyNames(value)
  const above: object | null = Object.getPrototypeOf(value)
  return above === null || above === Object.prototype ? names : [...names, ...memberNames(above)]
}
