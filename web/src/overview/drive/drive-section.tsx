import { Alert, Badge, Progress, Text } from '@mantine/core'
import type { StatusReply } from '../../../../src/console/management/replies.ts'
import { useStatus } from '../../api/service-queries.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
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
  const query = useStatus()
  const kind = query.data?.drive.kind
  return (
    <Section
      title="Drive"
      actions={
        kind !== undefined && (
          <Badge variant="light" color="gray" tt="none">
            {kinds[kind] ?? kind}
          </Badge>
        )
      }
    >
      <Loaded query={query} failure="The drive status could not be loaded" lines={2}>
        {({ drive }) =>
          drive.problem === null ? (
            <Room drive={drive} />
          ) : (
            <Alert color="red" variant="light" title="The drive is not available" role="alert">
              {drive.problem}
            </Alert>
          )
        }
      </Loaded>
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
