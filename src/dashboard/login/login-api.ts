import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Access, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import { AttemptLimiter } from '../../platform/state/key-value/attempt-limiter.ts'
import { KeyValueError, type KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { bearerToken, Sessions, sessionSeconds } from './sessions.ts'

/** DASHBOARD_PASSWORD. */
export interface DashboardPassword {
  /** The present one; undefined: the dashboard is off. */
  readonly current: () => string | undefined
  /** Stores another one; undefined: it is not where the gateway can change it. Rejects with an ApiError if it cannot. */
  readonly change: ((password: string) => Promise<void>) | undefined
}

interface LoginOptions {
  /** AUTH_KV. */
  readonly store: KeyValueStore
  readonly password: DashboardPassword
  /** Whether a browser sent the request on behalf of a page that is not the dashboard's. */
  readonly isFromOtherOrigin: (request: HttpRequest) => boolean
  /** The address of the client that sent the request. */
  readonly clientAddress: (request: HttpRequest) => string
}

export interface Login {
  /** The API of docs/contract/login.md, "Endpoints". */
  readonly routes: readonly Route[]
  /** Admits requests with a session. */
  readonly session: Access
}

/** A password hash has 64 characters. */
const bodyLimit = 16 * 1024

const security = [{ session: [] }]

const errors = {
  401: 'Sign in first.',
  503: 'The service cannot handle the request, at least not now.',
}

/** The login, and the session check of other APIs. */
export function createLogin(options: LoginOptions): Login {
  const guard = createGuard(options)
  const session: Access = { security, knowsClients: true, admit: guard.requireSession }
  const routes = [loginRoute(guard, options), sessionRoute(session), logoutRoute(guard)]
  const own = routesBelow('/auth', { tag: 'login' }, routes)
  return {
    session,
    routes: [
      ...own,
      ...routesBelow('/-/api', { tag: 'login' }, [
        allRoute(guard, session),
        passwordRoute(guard, session, options),
      ]),
    ],
  }
}

function loginRoute(guard: Guard, { clientAddress }: LoginOptions): Route {
  return route({
    method: 'POST',
    path: '/login',
    operationId: 'login',
    summary: 'Starts a session',
    access: { admit: guard.admitLogin },
    // fetch sends strings as text/plain.
    bodyType: 'any',
    bodyLimit,
    body: z.object({
      passwordHash: z.string().meta({ description: 'SHA-256 of the password, hex.' }),
    }),
    reply: z.object({
      token: z.string().meta({ description: '256 bits, base64url.' }),
      expiresIn: z.int().meta({ description: 'Seconds.' }),
    }),
    errors: {
      ...errors,
      400: 'The request is invalid; `field` says where.',
      403: 'A page of another origin sent the login. Not counted as a failure.',
      429: 'Too many failures; Retry-After says when to retry.',
    },
    async answer({ request, body }) {
      const token = await guard.login(body.passwordHash, clientAddress(request))
      return { token, expiresIn: sessionSeconds }
    },
  })
}

function sessionRoute(session: Access): Route {
  return route({
    method: 'GET',
    path: '/session',
    operationId: 'getSession',
    summary: 'Checks whether the session is valid',
    access: session,
    reply: z.object({ valid: z.literal(true) }),
    errors,
    answer: async () => ({ valid: true as const }),
  })
}

function logoutRoute(guard: Guard): Route {
  return route({
    method: 'POST',
    path: '/logout',
    operationId: 'logout',
    summary: 'Ends the session',
    // Logging out of an expired session is not an error.
    access: { security, admit: guard.refuseWhenOff },
    bodyType: 'ignored',
    status: 204,
    replyDescription: 'The session has ended or did not exist.',
    errors,
    answer: ({ request }) => guard.logout(request),
  })
}

/** Beside the routes of the contract. */
function allRoute(guard: Guard, session: Access): Route {
  return route({
    method: 'DELETE',
    path: '/sessions',
    operationId: 'endSessions',
    summary: 'Ends every session, including this one',
    access: session,
    status: 204,
    replyDescription: 'All sessions have ended.',
    errors,
    answer: () => guard.endAll(),
  })
}

/** The start warns of shorter passwords. */
const minPasswordLength = 8
const maxPasswordLength = 200

function passwordRoute(guard: Guard, session: Access, { clientAddress }: LoginOptions): Route {
  return route({
    method: 'PUT',
    path: '/password',
    operationId: 'changePassword',
    summary: 'Changes the password of the dashboard',
    description:
      'Only if it is in bucketry.env, which is written again. Every session ends, including this one. Wrong passwords ' +
      'count as failed logins.',
    access: session,
    bodyLimit,
    body: z.strictObject({
      passwordHash: z.string().meta({ description: 'SHA-256 of the present password, hex.' }),
      password: z
        .string()
        .min(minPasswordLength)
        .max(maxPasswordLength)
        .regex(/^[^'\p{Cc}]*$/u, { error: 'Expected no single quote and no control character.' })
        .refine((text) => text.isWellFormed() && text.trim() === text, {
          error: 'Expected no space at the beginning or the end.',
        }),
    }),
    status: 204,
    replyDescription: 'The password has changed.',
    errors: {
      ...errors,
      403: 'The present password is wrong.',
      409: 'The gateway cannot change it; the message says where it is.',
      429: 'Too many failures; Retry-After says when to retry.',
    },
    answer: ({ request, body }) =>
      guard.changePassword(body.passwordHash, body.password, clientAddress(request)),
  })
}

type Guard = ReturnType<typeof createGuard>

/** Access checks. Every refusal of the login API originates here. */
function createGuard({ store, password, isFromOtherOrigin }: LoginOptions) {
  const sessions = new Sessions(store, () => password.current() ?? '')
  const limiter = new AttemptLimiter(store, 'login-failures')
  /** Without DASHBOARD_PASSWORD the dashboard is off (docs/contract/decisions.md, "First start"). */
  const refuseWhenOff = () => void requiredPassword(password.current())
  /** The present password, if the hash is that of it. Counts the attempt. */
  const checked = async (hash: string, address: string): Promise<string | undefined> => {
    const waitSeconds = await limiter.take(address)
    if (waitSeconds > 0) throw tooManyFailures(waitSeconds)
    const present = requiredPassword(password.current())
    if (!isPasswordHash(hash, present)) return undefined
    await limiter.clear(address)
    return present
  }
  return {
    refuseWhenOff,

    admitLogin(request: HttpRequest): void {
      refuseWhenOff()
      // Any page can send a login (`mode: 'no-cors'`), and five failures would lock out the owner.
      if (isFromOtherOrigin(request)) throw otherOrigin()
    },

    /** Returns the token of a new session. */
    login(hash: string, address: string): Promise<string> {
      const login = async () => {
        const present = await checked(hash, address)
        if (present === undefined) throw unauthorized('The password is wrong.')
        return sessions.begin(present)
      }
      return fromStore(() => limiter.inTurn(address, login))
    },

    /** Sessions have a seal of the password, so all of them end, also if the store does not respond. */
    async changePassword(hash: string, next: string, address: string): Promise<void> {
      const { change } = password
      if (change === undefined) throw notInFile()
      const work = async () => {
        if ((await checked(hash, address)) === undefined) throw wrongPresent()
        await change(next)
        // The sessions would be valid again if this password were set again.
        await sessions.endAll().catch(ignoreStoreFailure)
      }
      await fromStore(() => limiter.inTurn(address, work))
    },

    async requireSession({ headers }: HttpRequest): Promise<void> {
      refuseWhenOff()
      const token = bearerToken(headers.authorization)
      if (token !== undefined && (await fromStore(() => sessions.isValid(token)))) return
      throw unauthorized('The session does not exist or has expired. Sign in again.')
    },

    endAll: () => fromStore(() => sessions.endAll()),

    async logout({ headers }: HttpRequest): Promise<void> {
      const token = bearerToken(headers.authorization)
      if (token !== undefined) return fromStore(() => sessions.end(token))
      throw unauthorized('Expected an Authorization header with a bearer token.')
    },
  }
}

function requiredPassword(password: string | undefined): string {
  if (password !== undefined) return password
  throw new ApiError(503, 'The dashboard is turned off: DASHBOARD_PASSWORD is not set.')
}

/** 503 if AUTH_KV does not respond: the client is not at fault. */
async function fromStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof KeyValueError)) throw error
    throw new ApiError(503, 'The session store does not respond. Try again later.', {
      cause: error,
    })
  }
}

function ignoreStoreFailure(error: unknown): void {
  if (!(error instanceof KeyValueError)) throw error
}

/** RFC 9110 section 15.5.2: a 401 names the authentication scheme. */
function unauthorized(message: string): ApiError {
  return new ApiError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
}

function notInFile(): ApiError {
  const message =
    'The password is not in bucketry.env: change DASHBOARD_PASSWORD where the gateway is started, and restart it.'
  return new ApiError(409, message)
}

/** Not 401, which ends the session. */
function wrongPresent(): ApiError {
  return new ApiError(403, 'The password is wrong.', { field: 'passwordHash' })
}

function otherOrigin(): ApiError {
  const message =
    'A web page of another origin sent this login. If it is the dashboard behind a proxy, set PUBLIC_URL to the address in the browser.'
  return new ApiError(403, message)
}

function tooManyFailures(waitSeconds: number): ApiError {
  const minutes = Math.ceil(waitSeconds / 60)
  return new ApiError(
    429,
    `Too many failed logins. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
    { headers: { 'retry-after': String(waitSeconds) } },
  )
}

/**
 * Whether `hash` is the SHA-256 of the password: hex, either case. Takes the same time for every
 * wrong hash (docs/contract/login.md, "Password hash").
 */
export function isPasswordHash(hash: string, password: string): boolean {
  const expected = createHash('sha256').update(password).digest()
  const isHex = /^[0-9a-f]{64}$/i.test(hash)
  const given = isHex ? Buffer.from(hash, 'hex') : Buffer.alloc(expected.length)
  return timingSafeEqual(given, expected) && isHex
}
