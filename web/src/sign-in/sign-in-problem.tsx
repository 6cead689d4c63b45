import { Alert, Text } from '@mantine/core'
import { formatCountdown } from '../format/time.ts'
import { frameTexts } from '../texts/frame.ts'
import { Rich } from '../texts/rich.tsx'
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
        <Alert color="yellow" title={frameTexts.signIn.off}>
          <Text size="sm">
            <Rich text={frameTexts.signIn.offText} />
          </Text>
        </Alert>
      )
    case 'failed':
      return (
        <Alert color="red" title={frameTexts.signIn.failed}>
          <Text size="sm">{problem.message}</Text>
        </Alert>
      )
  }
}

function Locked({ waitMs }: { readonly waitMs: number }) {
  if (waitMs === 0) {
    return <Alert color="teal" title={frameTexts.signIn.nowAgain} />
  }
  return (
    <Alert color="yellow" title={frameTexts.signIn.tooMany}>
      <Text size="sm">
        <Rich
          text={frameTexts.signIn.waitText}
          marks={{
            // Not announced every second.
            time: () => (
              <b role="timer" aria-live="off">
                {formatCountdown(waitMs)}
              </b>
            ),
          }}
        />
      </Text>
    </Alert>
  )
}
