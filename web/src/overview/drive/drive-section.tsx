import { Alert, Badge, Group, Progress, Stack, Text } from '@mantine/core'
import type { StatusReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { useStatus } from '../../api/service-queries.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { driveRoom } from './drive-room.ts'

const kinds: Readonly<Record<string, string>> = {
  file: overviewTexts.kinds.file,
  gdrive: 'Google Drive',
  webdav: 'WebDAV',
  memory: overviewTexts.kinds.memory,
}

const levels = {
  roomy: { color: 'var(--bucketry-accent)', hint: undefined },
  tight: { color: 'yellow', hint: overviewTexts.tight },
  full: { color: 'red', hint: overviewTexts.full },
} as const

export function DriveSection() {
  const query = useStatus()
  const drives = query.data?.drives ?? []
  const [only] = drives
  return (
    <Section
      title={drives.length > 1 ? overviewTexts.drives : overviewTexts.drive}
      actions={drives.length === 1 && only !== undefined && <KindBadge kind={only.kind} />}
    >
      <Loaded query={query} failure={overviewTexts.driveFailure} lines={2}>
        {({ drive }) =>
          drives.length > 1 ? (
            <Stack gap="md">
              {drives.map((one) => (
                <NamedDrive key={one.name} drive={one} />
              ))}
            </Stack>
          ) : (
            <State drive={drive} />
          )
        }
      </Loaded>
    </Section>
  )
}

function NamedDrive({ drive }: { readonly drive: StatusReply['drives'][number] }) {
  return (
    <div>
      <Group gap={8} mb={6}>
        <Text size="sm" fw={600}>
          {drive.name}
        </Text>
        <KindBadge kind={drive.kind} />
        {drive.isReadOnly && (
          <Badge variant="light" color="gray" size="sm" tt="none" data-tip="READ_ONLY">
            {overviewTexts.readOnly}
          </Badge>
        )}
      </Group>
      <State drive={drive} />
    </div>
  )
}

function KindBadge({ kind }: { readonly kind: string }) {
  return (
    <Badge variant="light" color="gray" tt="none">
      {kinds[kind] ?? kind}
    </Badge>
  )
}

function State({ drive }: { readonly drive: StatusReply['drive'] }) {
  if (drive.problem === null) return <Room drive={drive} />
  return (
    <Alert variant="default" title={overviewTexts.away} role="alert">
      {shownMessage(drive.problem)}
    </Alert>
  )
}

function Room({ drive }: { readonly drive: StatusReply['drive'] }) {
  const room = driveRoom(drive)
  if (room === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {overviewTexts.noRoom}
      </Text>
    )
  }
  const { color, hint } = levels[room.level]
  return (
    <>
      <Progress.Root size="lg" radius="xl">
        <Progress.Section value={room.usedPercent} color={color} aria-label={overviewTexts.inUse} />
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
