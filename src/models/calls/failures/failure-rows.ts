import type { BackOff } from '../../../platform/process/back-off.ts'

/** What a failed attempt is about. */
export type Scope = 'request' | 'model' | 'quota' | 'connection' | 'moment'

/** What is known of a failed attempt. */
export interface FailureFacts {
  readonly status: number
  /** The codes, types and reasons of the error. */
  readonly codes: readonly string[]
  readonly message: string
  /** The parameter that the error names; empty: none. */
  readonly param: string
  /** Whether the body is no JSON: a page of a proxy, or nothing. */
  readonly isPage: boolean
}

/** Signs of a failure. All that are given must be there. */
interface Signs {
  readonly status?: readonly number[]
  readonly code?: RegExp
  readonly param?: string
  readonly isPage?: true
  /** A text can quote the request, so a pause of other callers never follows from it alone. */
  readonly message?: RegExp
}

/** In the order of comparison; those from `request` on have no signs. */
export type RowName =
  | 'context'
  | 'content'
  | 'missing'
  | 'model'
  | 'too-large'
  | 'money'
  | 'key'
  | 'region'
  | 'path'
  | 'quota'
  | 'overloaded'
  | 'forbidden'
  | 'not-found'
  | 'failed'
  | 'request'
  | 'unreachable'
  | 'account'
  | 'late'
  | 'stalled'

/** A kind of failure, and what follows from it. */
export interface FailureRow {
  readonly name: RowName
  readonly scope: Scope
  /** For users. Never contains text of the upstream. */
  readonly reason: string
  /** Which targets are tried next: all, those of other models, or none. */
  readonly next: 'all' | 'models' | 'none'
  /** What is paused: `pair`, this model of this connection; `path`, the pair on this path; or the whole connection. */
  readonly pauses: 'nothing' | 'pair' | 'path' | 'connection'
  /** What the connection is paused by if a second of its models fails in the same way meanwhile. */
  readonly second?: RowName
  /** The length of the pause unless the upstream asks for another. */
  readonly backOff: BackOff
  /** The longest pause that an upstream can ask for; 0: what it asks for is ignored. */
  readonly maxAskedMs: number
  /**
   * Whether one failure suffices to pause all callers, because no request could cause it: `unused`, only if nobody had a
   * success a short time ago.
   */
  readonly isCertain: boolean | 'unused'
  /** Whether a paused target is called if no other is left. Otherwise the call is refused. */
  readonly isLastResort: boolean
  /** What the client gets instead of the upstream's answer, which may quote the key or is no JSON. */
  readonly answer?: { readonly status: number; readonly code: string }
  /** A failure has this row if one of these fits. */
  readonly signs: readonly Signs[]
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const slow: BackOff = { firstMs: minute, longestMs: 5 * minute }

type Rest = Omit<FailureRow, 'name' | 'reason' | 'signs'>

const aboutRequest: Omit<Rest, 'next'> = {
  ...{ scope: 'request', pauses: 'nothing', backOff: { firstMs: 0, longestMs: 0 } },
  ...{ maxAskedMs: 0, isCertain: false, isLastResort: true },
}

const moment: Rest = {
  ...{ scope: 'moment', next: 'all', pauses: 'pair' },
  ...{ backOff: { firstMs: second, longestMs: 10 * second }, maxAskedMs: minute },
  ...{ isCertain: false, isLastResort: true },
}

const ofConnection: Omit<Rest, 'backOff'> = {
  ...{ scope: 'connection', next: 'all', pauses: 'connection', maxAskedMs: 0 },
  ...{ isCertain: true, isLastResort: false },
}

/**
 * Failures and what follows from each. The first row that fits counts; docs/calling-models.md has this table. Texts are
 * compared only where a provider has no code. Sources are the providers' pages on errors: OpenAI
 * (platform.openai.com/docs/guides/error-codes), Anthropic (docs.claude.com/en/api/errors), OpenRouter
 * (openrouter.ai/docs/api-reference/errors), Gemini (ai.google.dev/gemini-api/docs/troubleshooting), Azure
 * (learn.microsoft.com/azure/ai-services/openai/reference), and the bug reports that the rows name.
 */
const rows: readonly FailureRow[] = [
  {
    // Another model may have the room. Texts: Anthropic, OpenAI and vLLM, Gemini, llama.cpp.
    ...{ ...aboutRequest, name: 'context', next: 'models' },
    reason: 'The request is too long for the model.',
    signs: [
      {
        code: /^(?:context_length_exceeded|string_(?:above_max_length|too_long)|exceed_context_size_error)$/,
      },
      {
        status: [400, 413, 422, 500],
        message:
          /prompt is too long|maximum context length|context window|input token count|available context size/i,
      },
    ],
  },
  {
    // OpenRouter has 403 with metadata.reasons, xAI 403 "Content violates usage guidelines" (sub2api 4785).
    ...{ ...aboutRequest, name: 'content', next: 'none' },
    reason: 'The upstream refused the content of the request.',
    signs: [
      { code: /^(?:content_filter|content_policy_violation|moderation_blocked|flagged_input)$/i },
      { status: [400, 403], message: /flagged|moderation|usage guidelines|safety/i },
    ],
  },
  {
    // What an account does not have: an item of another account's answer, a file (9router 4009).
    ...{ ...aboutRequest, name: 'missing', next: 'none' },
    reason: 'The upstream does not have what the request refers to.',
    signs: [
      { code: /^(?:previous_response_not_found|invalid_encrypted_content)$/ },
      {
        message:
          /^(?:item|(?:previous )?response|file(?! not found$)|conversation|container|thread|batch|vector store)\b.*not found/i,
      },
      // Anthropic's code for everything. A model is named in the text.
      { code: /^not_found_error$/, message: /^(?!model: |file not found$)/i },
    ],
  },
  {
    ...{ name: 'model', scope: 'model', next: 'all', pauses: 'path' },
    reason: 'The upstream does not have the model.',
    ...{ backOff: { firstMs: minute, longestMs: 10 * minute }, maxAskedMs: 0 },
    ...{ isCertain: 'unused', isLastResort: false },
    signs: [
      {
        // OpenAI says model_not_found with 403 to a project that may not use the model. Mistral: invalid_model.
        status: [400, 403, 404, 410, 422],
        code: /^(?:model_not_found|model_not_supported|model_not_available|model_decommissioned|unsupported_model|unknown_model|invalid_model|deployment_?notfound)$/i,
      },
      { status: [404], param: 'model' },
      {
        // Anthropic; OpenAI, xAI and Ollama; DeepSeek; OpenRouter (anthropic-proxy 4); Gemini.
        status: [400, 403, 404],
        message:
          /^model: |\bmodel\b.{0,300}(?:does not exist|not found)|^model not exist|is not a valid model id|^no endpoints found for |models\/\S+ is not found/i,
      },
    ],
  },
  {
    // Another account may allow more: OpenRouter 402, OpenAI 429 (shell_gpt 653), Groq 413.
    ...{ ...aboutRequest, name: 'too-large', next: 'all' },
    reason: 'The request is larger than the upstream allows the account.',
    signs: [
      { status: [402], message: /can only afford|fewer max_tokens/i },
      { status: [429], message: /request too large|must be reduced/i },
      { status: [413] },
    ],
  },
  {
    // Anthropic has 400 for a low balance and for a spending limit, DeepSeek and OpenRouter 402. OpenRouter's accounts without
    // credit can still call free models.
    ...{ ...ofConnection, name: 'money', scope: 'quota', isCertain: 'unused' },
    reason: 'The account of the connection has no credit left.',
    ...{ backOff: { firstMs: 10 * minute, longestMs: hour }, maxAskedMs: 24 * hour },
    answer: { status: 429, code: 'insufficient_quota' },
    signs: [
      { status: [402] },
      {
        code: /^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error|enforced_spend_limit_reached)$/,
      },
      {
        status: [400, 403],
        message:
          /credit balance is too low|insufficient balance|reached your specified api usage limits/i,
      },
    ],
  },
  {
    ...{
      ...ofConnection,
      name: 'key',
      isCertain: 'unused',
      backOff: { firstMs: minute, longestMs: hour },
    },
    reason: 'The upstream refused the key of the connection.',
    answer: { status: 502, code: 'upstream_key_refused' },
    signs: [
      { status: [401] },
      { code: /^(?:api_key_invalid|invalid_api_key|account_deactivated)$/i },
      { status: [400, 403], message: /api key not (?:valid|found)|suspended/i },
    ],
  },
  {
    ...{ ...ofConnection, name: 'region', backOff: slow },
    reason: 'The upstream refuses requests from this country.',
    signs: [{ code: /^unsupported_country_region_territory$/ }],
  },
  {
    // A path that the upstream does not have is answered by its web framework: HTML, "404 page not found" (Go),
    // {"detail":"Not Found"} (FastAPI), "Invalid URL" (OpenAI), "Unknown request URL" (Groq), "no Route matched" (Kong,
    // before Mistral), "File Not Found" (llama.cpp), url.not_found (Moonshot).
    ...{ name: 'path', scope: 'model', next: 'all', pauses: 'path' },
    reason: 'The upstream does not have the path.',
    ...{ backOff: { firstMs: 10 * minute, longestMs: 10 * minute }, maxAskedMs: 0 },
    ...{ isCertain: false, isLastResort: false },
    answer: { status: 404, code: 'unsupported_path' },
    signs: [
      { status: [404, 405, 501], isPage: true },
      {
        status: [404, 405, 501],
        message:
          /^(?:(?:file )?not found|method not allowed)$|^invalid url \(|^un(?:known|recognized) request url|^no route matched|url\.not_found/i,
      },
    ],
  },
  {
    ...{ name: 'quota', scope: 'quota', next: 'all', pauses: 'pair' },
    reason: 'The upstream has no quota left for the model.',
    ...{ backOff: { firstMs: second, longestMs: minute }, maxAskedMs: 24 * hour },
    ...{ isCertain: false, isLastResort: false },
    signs: [{ status: [429] }],
  },
  {
    ...moment,
    name: 'overloaded',
    reason: 'The upstream is overloaded.',
    signs: [
      { status: [503, 529] },
      { code: /^(?:overloaded_error|server_is_overloaded|slow_down)$/ },
    ],
  },
  {
    ...{ name: 'forbidden', scope: 'connection', next: 'all', pauses: 'pair', second: 'account' },
    reason: 'The upstream does not allow the key of the connection to use the model.',
    ...{ backOff: slow, maxAskedMs: 0, isCertain: false, isLastResort: false },
    signs: [{ status: [403] }],
  },
  {
    // Of a feature that another upstream may have: OpenRouter's "No endpoints found that support image input".
    ...{ ...aboutRequest, name: 'not-found', next: 'all' },
    reason: 'The upstream cannot serve the request.',
    signs: [{ status: [404] }],
  },
  { ...moment, name: 'failed', reason: 'The upstream failed.', signs: [{ status: [408] }] },
]

/** Without signs: what is left, and what is no answer. */
const otherRows: readonly FailureRow[] = [
  {
    ...{ ...aboutRequest, name: 'request', next: 'none' },
    reason: 'The upstream refused the request.',
    signs: [],
  },
  {
    ...{ ...ofConnection, name: 'unreachable', backOff: { firstMs: second, longestMs: minute } },
    reason: 'The upstream cannot be reached.',
    answer: { status: 502, code: 'upstream_unreachable' },
    signs: [],
  },
  {
    ...{ ...ofConnection, name: 'account', backOff: slow, isCertain: false },
    reason: 'The upstream does not allow the key of the connection to use several models.',
    signs: [],
  },
  {
    ...{ ...moment, name: 'late', backOff: slow, second: 'stalled' },
    reason: 'The upstream did not begin its answer in time.',
    signs: [],
  },
  {
    ...{ ...moment, name: 'stalled', backOff: slow, pauses: 'connection' },
    reason: 'The upstream does not begin answers in time.',
    signs: [],
  },
]

/** Every row by its name. */
export const failureRows = Object.fromEntries(
  [...rows, ...otherRows].map((row) => [row.name, row]),
) as Readonly<Record<RowName, FailureRow>>

/** The row of a failure, and whether it follows from a text alone. */
export function rowOf(facts: FailureFacts): { readonly row: FailureRow; readonly isText: boolean } {
  for (const row of rows) {
    const found = row.signs.find((one) => fits(one, facts))
    if (found !== undefined) return { row, isText: found.message !== undefined }
  }
  return { row: failureRows[facts.status < 500 ? 'request' : 'failed'], isText: false }
}

function fits({ status, code, param, isPage, message }: Signs, facts: FailureFacts): boolean {
  return (
    (status === undefined || status.includes(facts.status)) &&
    (code === undefined || facts.codes.some((one) => code.test(one))) &&
    (param === undefined || param === facts.param) &&
    (isPage === undefined || facts.isPage) &&
    (message === undefined || message.test(facts.message))
  )
}
