import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import { enteredRequest, type RequestSource, sourceOf } from '../../json-api/entry.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { errorReply, refusals } from '../../json-api/refusals.ts'
import { KeyValueError, type KeyValueStore } from '../../state/key-value/key-value.ts'
import { LoginLimiter } from './login-limiter.ts'
import { isPasswordHash } from './password.ts'
import { Sessions, sessionSeconds } from './sessions.ts'

interface LoginOptions {
  /** AUTH_KV. */
  readonly store: KeyValueStore
  /** DASHBOARD_PASSWORD; undefined: the dashboard is off. */
  readonly password: string | undefined
  /** Whether a browser sends the request for a page that is not the dashboard's. */
  readonly isFromOtherOrigin: (request: RequestSource) => boolean
}

/**
 * A hook that rejects requests without a session. For onRequest, so that no body is read before.
 */
export type RequireSession = (request: FastifyRequest) => Promise<void>

export interface Login {
  /** The plugin of `/auth/*`. */
  readonly plugin: (app: JsonApp) => Promise<void>
  readonly requireSession: RequireSession
}

/** A password hash has 64 characters. */
const bodyLimit = 16 * 1024

const security = [{ session: [] }]

/** The API of docs/contract/login.md, "Endpoints", and the session check of other APIs. */
export function createLogin(options: LoginOptions): Login {
  const guard = new Guard(options)
  return {
    requireSession: (request) => guard.requireSession(request),
    plugin: async (app) => {
      // Every body is parsed as JSON, whatever its type: fetch sends strings as text/plain.
      app.removeAllContentTypeParsers()
      app.addContentTypeParser(
        '*',
        { parseAs: 'string', bodyLimit },
        app.getDefaultJsonParser('error', 'error'),
      )
      app.addHook('onRequest', async ({ raw }) => {
        // Fastify rejects invalid media types before it looks for a parser.
        delete raw.headers['content-type']
      })
      addLogin(app, guard)
      addSession(app, guard)
      await app.register(async (bodiless) => addLogout(bodiless, guard))
    },
  }
}

function addLogin(app: JsonApp, guard: Guard): void {
  app.route({
    method: 'POST',
    url: '/auth/login',
    bodyLimit,
    schema: {
      operationId: 'login',
      tags: ['login'],
      summary: 'Starts a session',
      body: z.object({
        passwordHash: z.string().meta({ description: 'SHA-256 of the password, hex.' }),
      }),
      response: {
        200: z.object({
          token: z.string().meta({ description: '256 bits, base64url.' }),
          expiresIn: z.int().meta({ description: 'Seconds.' }),
        }),
        400: errorReply,
        401: errorReply,
        403: errorReply.meta({
          description: 'A page of another origin sent the login. Not counted as a failure.',
        }),
        429: errorReply.meta({ description: 'Too many failures; Retry-After says when to retry.' }),
        503: errorReply,
        ...refusals,
      },
    },
    onRequest: async (request) => {
      guard.refuseWhenOff()
      guard.refuseOtherOrigin(request)
    },
    handler: async ({ body, ip }) => ({
      token: await guard.login(body.passwordHash, ip),
      expiresIn: sessionSeconds,
    }),
  })
}

function addSession(app: JsonApp, guard: Guard): void {
  app.route({
    method: 'GET',
    url: '/auth/session',
    schema: {
      operationId: 'getSession',
      tags: ['login'],
      summary: 'Checks whether the session is valid',
      security,
      response: {
        200: z.object({ valid: z.literal(true) }),
        401: errorReply,
        503: errorReply,
        ...refusals,
      },
    },
    onRequest: (request) => guard.requireSession(request),
    handler: async () => ({ valid: true as const }),
  })
}

function addLogout(app: JsonApp, guard: Guard): void {
  // Bodies are ignored and not read.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async () => undefined)
  app.route({
    method: 'POST',
    url: '/auth/logout',
    schema: {
      operationId: 'logout',
      tags: ['login'],
      summary: 'Ends the session',
      security,
      response: {
        204: z.undefined().meta({ description: 'The session has ended or did not exist.' }),
        401: errorReply,
        503: errorReply,
        ...refusals,
      },
    },
    handler: async (request, reply) => {
      await guard.logout(request)
      return reply.code(204).send()
    },
  })
}

/** Access checks. Every refusal of the login API originates here. */
class Guard {
  readonly #password: string | undefined
  readonly #sessions: Sessions
  readonly #limiter: LoginLimiter
  readonly #isFromOtherOrigin: LoginOptions['isFromOtherOrigin']

  constructor({ store, password, isFromOtherOrigin }: LoginOptions) {
    this.#password = password
    this.#isFromOtherOrigin = isFromOtherOrigin
    this.#sessions = new Sessions(store, password ?? '')
    this.#limiter = new LoginLimiter(store)
  }

  /**
   * Without DASHBOARD_PASSWORD the dashboard is off (docs/contract/decisions.md, "First start").
   */
  refuseWhenOff(): string {
    if (this.#password !== undefined) return this.#password
    throw new ApiError(503, 'The dashboard is turned off: DASHBOARD_PASSWORD is not set.')
  }

  /** Any page can send a login (`mode: 'no-cors'`), and five failures would lock out the owner. */
  refuseOtherOrigin(request: FastifyRequest): void {
    if (!this.#isFromOtherOrigin(sourceOf(request))) return
    throw new ApiError(
      403,
      'A web page of another origin sent this login. If it is the dashboard behind a proxy, set PUBLIC_URL to the address in the browser.',
    )
  }

  /** Returns the token of a new session. */
  async login(hash: string, address: string): Promise<string> {
    const password = this.refuseWhenOff()
    const login = async () => {
      const waitSeconds = await this.#limiter.take(address)
      if (waitSeconds > 0) throw tooManyFailures(waitSeconds)
      if (!isPasswordHash(hash, password)) throw unauthorized('The password is wrong.')
      await this.#limiter.clear(address)
      return this.#sessions.begin()
    }
    return fromStore(() => this.#limiter.inTurn(address, login))
  }

  async requireSession({ headers }: FastifyRequest): Promise<void> {
    this.refuseWhenOff()
    return fromStore(async () => {
      const token = bearerToken(headers.authorization)
      if (token !== undefined && (await this.#sessions.isValid(token))) {
        const entered = enteredRequest()
        if (entered !== undefined) entered.hasSession = true
        return
      }
      throw unauthorized('The session does not exist or has expired. Sign in again.')
    })
  }

  async logout({ headers }: FastifyRequest): Promise<void> {
    this.refuseWhenOff()
    const token = bearerToken(headers.authorization)
    if (token === undefined)
      throw unauthorized('Expected an Authorization header with a bearer token.')
    return fromStore(() => this.#sessions.end(token))
  }
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

/** RFC 6750 section 2.1; the scheme in either case (RFC 9110 section 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/** RFC 9110 section 15.5.2: a 401 names the authentication scheme. */
function unauthorized(message: string): ApiError {
  return new ApiError(401, message, { headers: { 'www-authenticate': 'Bearer' } })
}

function tooManyFailures(waitSeconds: number): ApiError {
  const minutes = Math.ceil(waitSeconds / 60)
  return new ApiError(
    429,
    `Too many failed logins. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
    { headers: { 'retry-after': String(waitSeconds) } },
  )
}
