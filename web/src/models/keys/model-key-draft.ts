import type { ModelKeyBody, ModelKeyReply } from '../../../../src/models/keys/model-key-routes.ts'
import { formatAmount, formatCount } from '../../format/bytes.ts'
import { dayOf, endOfDay } from '../../format/day-field.ts'

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

export const limitFields: readonly { readonly name: LimitName; readonly label: string }[] = [
  { name: 'requestsPerMinute', label: 'Requests per minute' },
  { name: 'tokensPerMinute', label: 'Tokens per minute' },
  { name: 'tokensPerMonth', label: 'Tokens per month' },
]

const everyModel = '*'

/** The draft of a key; without one, the draft of a new key. */
export function draftOf(key: ModelKeyReply | undefined): ModelKeyDraft {
  const { name = '', models = [everyModel], expiresAt = null, limits } = key ?? {}
  const text = (limit: LimitName) => String(limits?.[limit] ?? '')
  return {
    name,
    models: isEvery(models) ? [] : models,
    expires: dayOf(expiresAt),
    limits: {
      requestsPerMinute: text('requestsPerMinute'),
      tokensPerMinute: text('tokensPerMinute'),
      tokensPerMonth: text('tokensPerMonth'),
    },
  }
}

/**
 * The body of the request that saves a draft.
 *
 * @param before when the changed key expires now: an unchanged day keeps its time
 */
export function bodyOf(draft: ModelKeyDraft, before: string | null): ModelKeyBody {
  const { name, models, expires, limits } = draft
  const number = (limit: LimitName) => (limits[limit] === '' ? null : Number(limits[limit]))
  return {
    name,
    models: models.length === 0 ? [everyModel] : [...models],
    expiresAt: expires === dayOf(before) ? before : endOfDay(expires),
    limits: {
      requestsPerMinute: number('requestsPerMinute'),
      tokensPerMinute: number('tokensPerMinute'),
      tokensPerMonth: number('tokensPerMonth'),
    },
  }
}

/** "lab/*, smart" */
export function modelsText({ models }: Pick<ModelKeyReply, 'models'>): string {
  return isEvery(models) ? 'Every model' : models.join(', ')
}

/** "60 requests and 1,000 tokens per minute, 5,000 tokens per month"; '' without limits. */
export function limitsText({ limits }: Pick<ModelKeyReply, 'limits'>): string {
  const { requestsPerMinute, tokensPerMinute, tokensPerMonth } = limits
  const aMinute = [
    requestsPerMinute !== null && formatAmount(requestsPerMinute, 'request'),
    tokensPerMinute !== null && formatAmount(tokensPerMinute, 'token'),
  ].filter((part) => part !== false)
  return [
    aMinute.length > 0 && `${aMinute.join(' and ')} per minute`,
    tokensPerMonth !== null && `${formatCount(tokensPerMonth)} tokens per month`,
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
