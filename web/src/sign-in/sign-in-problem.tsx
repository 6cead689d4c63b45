import { Alert, Code, Text } from '@mantine/core'
import { formatCountdown } from '../format/time.ts'
import type { Problem } from './problem.ts'

interface SignInProblemProps {
  readonly problem: Problem
  readonly waitMs: number
}

/** Why sign-in failed, unless the field shows it. */
export function SignInProblem({ problem, waitMs }: SignInProblemProps) {
  switch (problem.kind) {
    case 'wrong':
      return null
    case 'locked':
      return <Locked waitMs={waitMs} />
    case 'off':
      return (
        <Alert color="yellow" title="The dashboard is turned off">
          <Text size="sm">
            Set <Code>DASHBOARD_PASSWORD</Code> (or <Code>DASHBOARD_PASSWORD_FILE</Code>) in the
            gateway settings and restart the gateway. S3 and the model list work without it.
          </Text>
        </Alert>
      )
    case 'failed':
      return (
        <Alert color="red" title="Sign-in failed">
          <Text size="sm">{problem.message}</Text>
        </Alert>
      )
  }
}

function Locked({ waitMs }: { readonly waitMs: number }) {
  if (waitMs === 0) {
    return <Alert color="teal" title="You can try again now" />
  }
  return (
    <Alert color="yellow" title="Too many failed sign-ins">
      <Text size="sm">
        You can try again in {/* Not announced every second. */}
        <b role="timer" aria-live="off">
          {formatCountdown(waitMs)}
        </b>
        .
      </Text>
    </Alert>
  )
}
