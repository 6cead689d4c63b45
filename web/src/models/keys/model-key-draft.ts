import type { ModelKeyBody, ModelKeyReply } from '../../../../src/models/keys/model-key-routes.ts'
import { dayOf, endOfDay } from '../../format/day-field.ts'
import { formatDollars } from '../../format/money.ts'
import { modelsTexts } from '../../texts/models.ts'

/** The form of a model key, as it is typed. */
export interface ModelKeyDraft {
  readonly name: string
  /** Ids, or globs with `*`; none: every model. */
  readonly models: readonly string[]
  /** `YYYY-MM-DD` in the time zone of the browser; '' for never. */
  readonly expires: string
  readonly limits: Readonly<Record<LimitName, string>>
}

type LimitName = keyof ModelKeyReply['limits']

export const limitFields: readonly {
  readonly name: LimitName
  readonly label: string
  readonly pattern: string
}[] = [
  { name: 'requestsPerMinute', label: modelsTexts.keys.requestsPerMinute, pattern: '[0-9]*' },
  { name: 'tokensPerMinute', label: modelsTexts.keys.tokensPerMinute, pattern: '[0-9]*' },
  { name: 'tokensPerMonth', label: modelsTexts.keys.tokensPerMonth, pattern: '[0-9]*' },
  {
    name: 'dollarsPerMonth',
    label: modelsTexts.keys.dollarsPerMonth,
    pattern: '[0-9]+[.]?[0-9]*|[.][0-9]+',
  },
]

function eachLimit<Value>(read: (limit: LimitName) => Value) {
  const values = limitFields.map(({ name }) => [name, read(name)])
  return Object.fromEntries(values) as Record<LimitName, Value>
}

const everyModel = '*'

/** The draft of a key; without one, the draft of a new key. */
export function draftOf(key: ModelKeyReply | undefined): ModelKeyDraft {
  const { name = '', models = [everyModel], expiresAt = null, limits } = key ?? {}
  return {
    name,
    models: isEvery(models) ? [] : models,
    expires: dayOf(expiresAt),
    limits: eachLimit((limit) => String(limits?.[limit] ?? '')),
  }
}

/**
 * The body of the request that saves a draft.
 *
 * @param before when the changed key expires now: an unchanged day keeps its time
 */
export function bodyOf(draft: ModelKeyDraft, before: string | null): ModelKeyBody {
  const { name, models, expires, limits } = draft
  return {
    name,
    models: models.length === 0 ? [everyModel] : [...models],
    expiresAt: expires === dayOf(before) ? before : endOfDay(expires),
    limits: eachLimit((limit) => (limits[limit] === '' ? null : Number(limits[limit]))),
  }
}

/** "lab/*, smart" */
export function modelsText({ models }: Pick<ModelKeyReply, 'models'>): string {
  return isEvery(models) ? modelsTexts.keys.everyModel : models.join(', ')
}

/** "60 requests and 1,000 tokens per minute, 5,000 tokens and $5.00 per month"; '' without limits. */
export function limitsText({ limits }: Pick<ModelKeyReply, 'limits'>): string {
  const { requestsPerMinute, tokensPerMinute, tokensPerMonth, dollarsPerMonth } = limits
  const aMinute = [
    requestsPerMinute !== null && modelsTexts.keys.requests(requestsPerMinute),
    tokensPerMinute !== null && modelsTexts.keys.tokens(tokensPerMinute),
  ].filter((part) => part !== false)
  const aMonth = [
    tokensPerMonth !== null && modelsTexts.keys.tokens(tokensPerMonth),
    dollarsPerMonth !== null && formatDollars(dollarsPerMonth),
  ].filter((part) => part !== false)
  return [
    aMinute.length > 0 && modelsTexts.keys.perMinute(aMinute.reduce(modelsTexts.keys.and)),
    aMonth.length > 0 && modelsTexts.keys.perMonth(aMonth.reduce(modelsTexts.keys.and)),
  ]
    .filter((part) => part !== false)
    .join(', ')
}

export function isExpired({ expiresAt }: Pick<ModelKeyReply, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs
}

function isEvery(models: readonly string[]): boolean {
  return models.includes(everyModel)
}
