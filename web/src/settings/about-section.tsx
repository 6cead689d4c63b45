import { Anchor, Stack, Text } from '@mantine/core'
import { useStatus } from '../api/service-queries.ts'
import { formatDuration } from '../format/time.ts'
import { settingsTexts } from '../texts/settings.ts'
import { CodeBlock } from '../ui/copy/code-block.tsx'
import { Section } from '../ui/section.tsx'
import classes from './settings-section.module.css'

const documentation = 'https://github.com/bucketry/bucketry#readme'

/** The version, the documentation and the backup command. */
export function AboutSection() {
  const status = useStatus().data
  return (
    <Section title={settingsTexts.about.title}>
      <dl className={classes.list}>
        <div className={classes.setting}>
          <dt>{settingsTexts.about.version}</dt>
          <dd>{status?.version ?? '…'}</dd>
        </div>
        <div className={classes.setting}>
          <dt>{settingsTexts.about.runningFor}</dt>
          <dd>{status === undefined ? '…' : formatDuration(status.uptimeSeconds)}</dd>
        </div>
        <div className={classes.setting}>
          <dt>{settingsTexts.about.api}</dt>
          <dd>
            <Anchor href="/-/docs" inherit className={classes.link ?? ''}>
              /-/docs
            </Anchor>
          </dd>
        </div>
        <div className={classes.setting}>
          <dt>{settingsTexts.about.documentation}</dt>
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
          caption={settingsTexts.about.backup}
          text="bucketry backup bucketry.backup"
          what={settingsTexts.about.backupCommand}
        />
        <Text size="xs" c="dimmed">
          {settingsTexts.about.backupText}
        </Text>
      </Stack>
    </Section>
  )
}
