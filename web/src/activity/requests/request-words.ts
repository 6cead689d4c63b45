import { activityTexts } from '../../texts/activity.ts'

interface Described {
  readonly method: string
  readonly operation: string | null
  readonly action: string | null
  readonly status: number
}

/** What happened, in the words of people: `Uploaded`, `Upload refused`. */
export function eventText({ method, operation, action, status }: Described): string {
  const { operations, actions, refused, failed } = activityTexts.words
  const known = actions[action ?? ''] ?? operations[operation ?? '']
  const [done, attempt] = known ?? otherWords(operation, method)
  if (status < 400) return done
  return status < 500 ? refused(attempt) : failed(attempt)
}

/** Operations of the management API, which begin with a small letter, are not about a file. */
function otherWords(operation: string | null, method: string) {
  const { methods, request, change, setting } = activityTexts.words
  if (operation === null) return request
  if (/^[a-z]/.test(operation) && method !== 'GET' && method !== 'HEAD') return setting
  return methods[method] ?? change
}
