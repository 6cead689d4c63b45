import { Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** The warnings of a row, one per line. */
export function WarningLines({ messages }: { readonly messages: readonly string[] }) {
  return messages.map((message) => (
    <Text key={message} size="xs" c="var(--mantine-color-yellow-text)" mt={4}>
      <IconAlertTriangle size={14} style={{ verticalAlign: '-2px' }} aria-hidden /> {message}
    </Text>
  ))
}
