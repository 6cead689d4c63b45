import { Alert } from '@mantine/core'
import type { ProbeReport } from '../../../../src/models/upstream/probe-report.ts'

interface TestResultProps {
  readonly report: ProbeReport
  readonly onClose: () => void
}

export function TestResult({ report, onClose }: TestResultProps) {
  const { ok, message, status, durationMs } = report
  const facts = [
    status === undefined ? undefined : `status ${status}`,
    durationMs > 0 ? `${Math.round(durationMs)} ms` : undefined,
  ].filter((fact) => fact !== undefined)
  return (
    <Alert
      color={ok ? 'teal' : 'red'}
      role="status"
      title={ok ? 'It works' : 'It does not work'}
      withCloseButton
      closeButtonLabel="Close the result"
      onClose={onClose}
    >
      {message}
      {facts.length > 0 && ` (${facts.join(', ')})`}
    </Alert>
  )
}
