/**
 * What a call and its answer consist of, independent of the API that says it. Blocks are those of Anthropic's Messages,
 * which distinguish the most (docs/decisions/0062-own-translation.md).
 */

/** The APIs between which calls are translated. */
export type ModelApi = 'chat' | 'messages' | 'responses'

export type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'data'; readonly mediaType: string; readonly data: string }

type TextBlock = { readonly type: 'text' | 'refusal'; readonly text: string }

interface MediaBlock {
  readonly type: 'image' | 'document'
  readonly source: Source
  readonly name?: string | undefined
}

/** Reasoning, with the proof by which its provider recognizes it; redacted: only the proof is shown. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly text: string
  readonly signature: string
  readonly isRedacted: boolean
}

export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  /** JSON text, as it was written; models also write what is not JSON. */
  readonly input: string
}

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly id: string
  readonly content: readonly (TextBlock | MediaBlock)[]
  readonly isError: boolean
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock | MediaBlock | ToolResultBlock

export interface Turn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly blocks: readonly Block[]
}

export interface Tool {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema. */
  readonly schema: unknown
  readonly isStrict: boolean | undefined
}

export interface ToolChoice {
  readonly type: 'auto' | 'any' | 'none' | 'tool'
  /** Of a tool. */
  readonly name?: string
}

export interface AnswerFormat {
  readonly name: string
  /** Undefined: any JSON object. */
  readonly schema: unknown
  readonly isStrict: boolean | undefined
}

export interface ModelRequest {
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | undefined
  /** Whether the model may call several tools at once. */
  readonly isParallel: boolean | undefined
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly stop: readonly string[]
  /** How much the model shall reason: `low`, `high`, … */
  readonly effort: string | undefined
  readonly format: AnswerFormat | undefined
  readonly isStream: boolean
  /** Whether a stream shall report usage; only Chat Completions ask. */
  readonly wantsUsage: boolean
}

export interface Usage {
  /** With tokens from and for caches. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** With tokens of reasoning. */
  readonly output: number
  readonly reasoning: number
}

/** Why an answer ended. */
export type StopReason = 'end' | 'length' | 'tools' | 'sequence' | 'refusal'

/** An error of an upstream; `code` is also the `type` of Anthropic's. */
export interface ModelError {
  readonly message: string
  readonly code?: string | undefined
}

/** A part of an answer. Blocks never overlap: `delta`, `sign` and `close` are about the one opened last. */
export type AnswerEvent =
  | {
      readonly type: 'start'
      readonly id: string
      readonly model: string
      readonly usage?: Usage | undefined
    }
  | { readonly type: 'open'; readonly block: 'text' | 'refusal' | 'thinking' }
  | {
      readonly type: 'open'
      readonly block: 'tool_use'
      readonly id: string
      readonly name: string
    }
  /** Text of the block, or of the JSON of a tool's input. */
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'sign'; readonly signature: string; readonly isRedacted: boolean }
  | { readonly type: 'close' | 'ping' }
  | {
      readonly type: 'stop'
      readonly reason: StopReason
      readonly sequence?: string | undefined
      readonly usage: Usage | undefined
    }
  | ({ readonly type: 'error' } & ModelError)

export type OpenEvent = AnswerEvent & { readonly type: 'open' }

/** Takes the events of an answer, one by one. */
export type EventSink = (event: AnswerEvent) => void

/** Blocks of one role after each other are one turn. */
export function merged(turns: readonly Turn[]): readonly Turn[] {
  const all: { role: Turn['role']; blocks: Block[] }[] = []
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue
    if (all.at(-1)?.role !== role) all.push({ role, blocks: [] })
    for (const block of blocks) all.at(-1)?.blocks.push(block)
  }
  return all
}
