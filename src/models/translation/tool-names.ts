import { createHash, randomBytes } from 'node:crypto'
import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'

/** What a client calls a tool. */
export interface ClientTool {
  readonly name: string
  /** Codex groups the tools of an MCP server. */
  readonly namespace?: string | undefined
  /** Whether its input is one text, not JSON (a custom tool of the Responses API). */
  readonly isFreeform: boolean
}

/** All APIs accept names of this form (OpenAI: "a-z, A-Z, 0-9, underscores and dashes, maximum length of 64"). */
const safeName = /^[\w-]{1,64}$/

/** Names of tools in the form that upstreams accept, and back. Stable: a name does not depend on the others. */
export class ToolNames {
  readonly #clients = new Map<string, ClientTool>()

  /** The name for the upstream. */
  add(tool: ClientTool): string {
    const name = this.of(tool.name, tool.namespace)
    this.#clients.set(name, tool)
    return name
  }

  of(name: string, namespace?: string): string {
    const full = namespace === undefined ? name : `${namespace}__${name}`
    if (safeName.test(full)) return full
    return `${full.replaceAll(/[^\w-]/g, '_').slice(0, 51)}_${digest(full, 12)}`
  }

  /** The client's tool; a model may also call one that does not exist. */
  clientTool(name: string): ClientTool {
    return this.#clients.get(name) ?? { name, isFreeform: false }
  }
}

/** A custom tool becomes a function with one text. */
export const freeformSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** The text for a custom tool: what the model wrote, if that is not the object that was asked for. */
export function freeformText(input: string): string {
  const text = fieldOf(parsedJson(input), 'input')
  return typeof text === 'string' ? text : input
}

/** Anthropic's form of ids of tool calls; OpenAI's are 40 characters at most. */
const safeId = /^[\w-]{1,64}$/
const mark = 'bkt_'

/** The id of a call for the client: another form than all APIs accept is encoded in it. Nothing has to be stored. */
export function idForClient(id: string): string {
  if (id === '') return `call_${randomBytes(12).toString('hex')}`
  return safeId.test(id) && !id.startsWith(mark) ? id : mark + Buffer.from(id).toString('base64url')
}

/** The id as the upstream wrote it, or one that it accepts. */
export function idForUpstream(id: string, maxLength: 40 | 64): string {
  if (id.startsWith(mark)) {
    const own = Buffer.from(id.slice(mark.length), 'base64url').toString()
    // Chat upstreams wrote it, and accept what they wrote.
    if (maxLength === 40 && idForClient(own) === id) return own
  }
  return safeId.test(id) && id.length <= maxLength ? id : `call_${digest(id, 24)}`
}

/**
 * Signatures of reasoning are valid only at the provider that made them. For the client they are marked with it, so
 * that a conversation that moves to another provider leaves them out.
 */
export class Seal {
  readonly #prefix: string

  constructor(provider: string) {
    this.#prefix = `bucketry.${digest(provider, 16)}.`
  }

  close(signature: string, isRedacted: boolean): string {
    return `${this.#prefix}${isRedacted ? 'r' : 's'}.${signature}`
  }

  /** Undefined if another provider signed it. */
  open(sealed: string): { readonly signature: string; readonly isRedacted: boolean } | undefined {
    if (!sealed.startsWith(this.#prefix)) return undefined
    const rest = sealed.slice(this.#prefix.length)
    return { signature: rest.slice(2), isRedacted: rest.startsWith('r') }
  }
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}

/** What reading and writing of one call share. */
export interface CallContext {
  readonly names: ToolNames
  readonly seal: Seal
}
