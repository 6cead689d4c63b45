import { notifications } from '@mantine/notifications'

/** What is shown for a moment at the edge of the page. Screen readers announce it. */

export function showSuccess(message: string): void {
  notifications.show({ message, color: 'teal' })
}

export function showFailure(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 10_000 })
}

/** For the rejection of a mutation. */
export function failureOf(title: string): (error: Error) => void {
  return ({ message }) => showFailure(title, message)
}
