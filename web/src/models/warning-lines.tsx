import { Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** Warnings of a row, one a line. */
export function WarningLines({ messages }: { readonly messages: readonly string[] }) {
  return messages.map((message) => (
    <Text key={message} size="xs" c="var(--mantine-color-yellow-text)" mt={4}>
      <IconAlertTriangle size={14} style={{ verticalAlign: '-2px' }} aria-hidden /> {message}
    </Text>
  ))
}
