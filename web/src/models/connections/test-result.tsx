import { Alert } from '@mantine/core'
import type { ProbeReport } from '../../../../src/models/upstream/probe-report.ts'

interface TestResultProps {
  readonly report: ProbeReport
  readonly onClose: () => void
}

const looks = {
  ok: { color: 'teal', title: 'Connection OK' },
  failed: { color: 'red', title: 'Connection failed' },
  untested: { color: 'gray', title: 'Not tested' },
} as const

export function TestResult({ report, onClose }: TestResultProps) {
  const { outcome, message, status, durationMs } = report
  const details = [
    status === undefined ? undefined : `status ${status}`,
    durationMs > 0 ? `${Math.round(durationMs)} ms` : undefined,
  ].filter((detail) => detail !== undefined)
  return (
    <Alert
      color={looks[outcome].color}
      role="status"
      title={looks[outcome].title}
      withCloseButton
      closeButtonLabel="Dismiss the result"
      onClose={onClose}
    >
      {message}
      {details.length > 0 && ` (${details.join(', ')})`}
    </Alert>
  )
}
