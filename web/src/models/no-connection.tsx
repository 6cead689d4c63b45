import { Alert } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { Link } from 'wouter'
import { Rich } from '../texts/rich.tsx'
import { useHasNoConnection } from './routing-queries.ts'

interface NoConnectionProps {
  /** Says what does not work without a connection, and links to the connections. */
  readonly text: string
}

/** Shown above models while none of them can be called, because no connection is active. */
export function NoConnection({ text }: NoConnectionProps) {
  if (!useHasNoConnection()) return null
  return (
    <Alert variant="light" color="orange" mb="sm" icon={<IconPlugConnectedX size={18} />}>
      <Rich text={text} marks={{ link: (words) => <Link href="/models">{words}</Link> }} />
    </Alert>
  )
}
