import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { frameTexts } from '../texts/frame.ts'

interface FailureNoticeProps {
  /** What failed: "The buckets could not be loaded". */
  readonly title: string
  readonly error: Error
  readonly onRetry?: () => void
}

/** Replaces content that could not be loaded. */
export function FailureNotice({ title, error, onRetry }: FailureNoticeProps) {
  return (
    <Alert
      variant="default"
      title={title}
      icon={
        <IconAlertTriangle size={18} color="light-dark(#a33303, var(--mantine-color-orange-4))" />
      }
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {frameTexts.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
