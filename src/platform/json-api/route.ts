import type { z } from 'zod'
import type { HttpReply, HttpRequest, StreamBody } from '../http/message.ts'

/** What a route's `answer` gets. The parameters and the body are valid. */
export interface Call<Params, Query, Body> {
  readonly request: HttpRequest
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Header fields of the reply, by their names in lower case. An error reply does not have them. */
  readonly replyHeaders: Map<string, string>
}

/** A reply that is JSON already, and is sent as it is. */
export class JsonBytes {
  readonly body: Uint8Array | StreamBody

  constructor(body: Uint8Array | StreamBody) {
    this.body = body
  }
}

/** A whole reply of a route that passes on what another server said. Its fields follow those of every reply. */
export class PassedReply {
  readonly reply: HttpReply

  constructor(reply: HttpReply) {
    this.reply = reply
  }
}

/** Who may use a route. */
export interface Access {
  /**
   * Lets a request pass, or refuses it before its body is read.
   *
   * @throws ApiError
   */
  readonly admit: (request: HttpRequest) => void | Promise<void>
  /** The same for the OpenAPI document, as its Security Requirement Objects. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** Whether it admits only known clients, so that the whole body may take any time. */
  readonly knowsClients?: boolean
}

/** One operation of a JSON protocol: how it is served, and how the OpenAPI document describes it. */
export interface Route<Params = unknown, Query = unknown, Body = unknown, Reply = unknown> {
  /** GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** `/a/{name}`. A last `{name+}` takes the rest of the path, with its slashes. */
  readonly path: string
  /** Also the name of the operation in the log. */
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
   * `any`: the body is read as JSON, whatever its type is called. `unread`: `answer` reads it, and `body` only describes
   * it. Default: it must be application/json.
   */
  readonly bodyType?: 'any' | 'ignored' | 'unread'
  /** Bytes. Default: 1 MiB. */
  readonly bodyLimit?: number
  /** Of success. Default: 200. */
  readonly status?: number
  /** The body of success, which has only the fields of this schema. Without a schema there is no body. */
  readonly reply?: z.ZodType<unknown, Reply>
  readonly replyDescription?: string
  /** Descriptions of errors by their status, besides those that every route may have. */
  readonly errors?: Readonly<Record<number, string>>
  /** The body of an error. Default: that of `plainErrorFormat`. */
  readonly errorSchema?: z.ZodType
  /** @throws ApiError */
  answer(call: Call<Params, Query, Body>): Promise<NoInfer<Reply> | JsonBytes | PassedReply>
}

/** Declares a route: its schemas are the types of its `answer`. */
export function route<Params, Query, Body, Reply>(
  declared: Route<Params, Query, Body, Reply>,
): Route {
  return declared
}

/** These routes below a path, with what they have in common. */
export function routesBelow(
  prefix: string,
  common: Pick<Route, 'tag' | 'access' | 'errorSchema'>,
  routes: readonly Route[],
): readonly Route[] {
  return routes.map((each) => ({ ...common, ...each, path: prefix + each.path }))
}
