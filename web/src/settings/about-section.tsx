import { Anchor, Stack, Text } from '@mantine/core'
import { useStatus } from '../api/service-queries.ts'
import { formatDuration } from '../format/time.ts'
import { CodeBlock } from '../ui/copy/code-block.tsx'
import { Section } from '../ui/section.tsx'
import classes from './settings-section.module.css'

const documentation = 'https://github.com/bucketry/bucketry#readme'

/** The version, the documentation and the backup command. */
export function AboutSection() {
  const status = useStatus().data
  return (
    <Section title="About">
      <dl className={classes.list}>
        <div className={classes.setting}>
          <dt>Version</dt>
          <dd>{status?.version ?? '…'}</dd>
        </div>
        <div className={classes.setting}>
          <dt>Running for</dt>
          <dd>{status === undefined ? '…' : formatDuration(status.uptimeSeconds)}</dd>
        </div>
        <div className={classes.setting}>
          <dt>API of the dashboard</dt>
          <dd>
            <Anchor href="/-/docs" inherit className={classes.link ?? ''}>
              /-/docs
            </Anchor>
          </dd>
        </div>
        <div className={classes.setting}>
          <dt>Documentation</dt>
          <dd>
            <Anchor
              href={documentation}
              target="_blank"
              rel="noreferrer"
              inherit
              className={classes.link ?? ''}
            >
              github.com/bucketry/bucketry
            </Anchor>
          </dd>
        </div>
      </dl>
      <Stack gap={6} mt="md">
        <CodeBlock
          caption="Back up the database and the generated settings"
          text="bucketry backup bucketry.backup"
          what="the backup command"
        />
        <Text size="xs" c="dimmed">
          Run it where the gateway runs. The gateway can keep running. The backup does not contain
          objects: back up the drive as well.
        </Text>
      </Stack>
    </Section>
  )
}
