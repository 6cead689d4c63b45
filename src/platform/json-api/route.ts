import type { z } from 'zod'
import type { HttpReply, HttpRequest, StreamBody } from '../http/message.ts'

/** The argument of a route's `answer`. Parameters and body have been validated. */
export interface Call<Params, Query, Body> {
  readonly request: HttpRequest
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Header fields of a successful reply, by lower-case name. */
  readonly replyHeaders: Map<string, string>
  /** What the log line says of the request, beside the operation. */
  readonly logFields: Record<string, string>
}

/** A reply that is already serialized as JSON. */
export class JsonBytes {
  readonly body: Uint8Array | StreamBody

  constructor(body: Uint8Array | StreamBody) {
    this.body = body
  }
}

/** A complete reply that a route passes on from another server. The common header fields are added. */
export class PassedReply {
  readonly reply: HttpReply

  constructor(reply: HttpReply) {
    this.reply = reply
  }
}

/** Who may use a route. */
export interface Access {
  /**
   * Admits a request or refuses it before its body is read.
   *
   * @throws ApiError
   */
  readonly admit: (request: HttpRequest) => void | Promise<void>
  /** The access in the OpenAPI document, as Security Requirement Objects. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** Whether only authenticated clients are admitted, so the time for the whole body is not limited. */
  readonly knowsClients?: boolean
}

/** One operation of a JSON protocol: how it is served, and how the OpenAPI document describes it. */
export interface Route<Params = unknown, Query = unknown, Body = unknown, Reply = unknown> {
  /** GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** `/a/{name}`. A last `{name+}` takes the rest of the path, with its slashes. */
  readonly path: string
  /** Also names the operation in the log. */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tag?: string
  /** Whether the OpenAPI document leaves it out. */
  readonly isHidden?: boolean
  readonly access?: Access
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /**
   * `any`: the body is JSON, whatever its content type. `unread`: `answer` reads the body, and `body` only describes it.
   * Default: the content type must be application/json.
   */
  readonly bodyType?: 'any' | 'ignored' | 'unread'
  /** Maximum number of bytes. Default: 1 MiB. */
  readonly bodyLimit?: number
  /** The status of success. Default: 200. */
  readonly status?: number
  /** The body of success: only the fields of this schema, or no body without a schema. */
  readonly reply?: z.ZodType<unknown, Reply>
  readonly replyDescription?: string
  /** Descriptions of errors by status, in addition to the errors of every route. */
  readonly errors?: Readonly<Record<number, string>>
  /** The body of an error. Default: `plainErrorFormat`. */
  readonly errorSchema?: z.ZodType
  /** @throws ApiError */
  answer(call: Call<Params, Query, Body>): Promise<NoInfer<Reply> | JsonBytes | PassedReply>
}

/** Declares a route. Its schemas determine the types of its `answer`. */
export function route<Params, Query, Body, Reply>(
  declared: Route<Params, Query, Body, Reply>,
): Route {
  return declared
}

/** Adds a path prefix and common properties to routes. */
export function routesBelow(
  prefix: string,
  common: Pick<Route, 'tag' | 'access' | 'errorSchema'>,
  routes: readonly Route[],
): readonly Route[] {
  return routes.map((each) => ({ ...common, ...each, path: prefix + each.path }))
}
