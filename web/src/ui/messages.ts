import { notifications } from '@mantine/notifications'

/** Temporary notifications. Screen readers announce them. */

export function showSuccess(message: string): void {
  notifications.show({ message, color: 'teal' })
}

export function showFailure(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 10_000 })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** For the rejection of a mutation. */
export function failureOf(title: string): (error: Error) => void {
  return ({ message }) => showFailure(title, message)
}
