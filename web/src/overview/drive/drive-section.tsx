import { Alert, Badge, Progress, Text } from '@mantine/core'
import type { StatusReply } from '../../../../src/console/management/replies.ts'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { LoadingLines } from '../../ui/loading-lines.tsx'
import { Section } from '../../ui/section.tsx'
import { useStatus } from '../overview-queries.ts'
import { driveRoom } from './drive-room.ts'

const kinds: Readonly<Record<string, string>> = {
  file: 'Local folder',
  gdrive: 'Google Drive',
  webdav: 'WebDAV',
  memory: 'Memory, lost on exit',
}

const levels = {
  roomy: { color: 'var(--bucketry-accent)', hint: undefined },
  tight: { color: 'yellow', hint: 'The drive is getting full.' },
  full: { color: 'red', hint: 'The drive is nearly full. Uploads may fail soon.' },
} as const

export function DriveSection() {
  const { data, error, refetch } = useStatus()
  return (
    <Section
      title="Drive"
      actions={
        data !== undefined && (
          <Badge variant="light" color="gray" tt="none">
            {kinds[data.drive.kind] ?? data.drive.kind}
          </Badge>
        )
      }
    >
      {data !== undefined && data.drive.problem !== null && (
        <Alert color="red" variant="light" title="The drive is not available" role="alert">
          {data.drive.problem}
        </Alert>
      )}
      {data !== undefined && data.drive.problem === null && <Room drive={data.drive} />}
      {data === undefined && error === null && <LoadingLines count={2} />}
      {data === undefined && error !== null && (
        <FailureNotice
          title="The drive status could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </Section>
  )
}

function Room({ drive }: { readonly drive: StatusReply['drive'] }) {
  const room = driveRoom(drive)
  if (room === undefined) {
    return (
      <Text size="sm" c="dimmed">
        Free space is not available for this drive.
      </Text>
    )
  }
  const { color, hint } = levels[room.level]
  return (
    <>
      <Progress.Root size="lg" radius="xl">
        <Progress.Section value={room.usedPercent} color={color} aria-label="Drive in use" />
      </Progress.Root>
      <Text size="sm" mt={8}>
        {room.text}
      </Text>
      {hint !== undefined && (
        <Text size="sm" mt={4} fw={600}>
          {hint}
        </Text>
      )}
    </>
  )
}
