import { activityTexts } from '../../texts/activity.ts'

interface Described {
  readonly method: string
  readonly operation: string | null
  readonly action: string | null
  readonly status: number
}

/** What happened, in the words of people: `Uploaded`, `Upload refused`. */
export function eventText({ method, operation, action, status }: Described): string {
  const { operations, actions, methods, request, change, refused, failed } = activityTexts.words
  const known = actions[action ?? ''] ?? operations[operation ?? '']
  const [done, attempt] = known ?? (operation === null ? request : (methods[method] ?? change))
  if (status < 400) return done
  return status < 500 ? refused(attempt) : failed(attempt)
}
