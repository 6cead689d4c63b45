import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { Rich } from '../../texts/rich.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { failureOf } from '../../ui/messages.ts'
import { Section } from '../../ui/section.tsx'
import { useBucketAction } from '../use-bucket-action.ts'
import classes from './bucket-settings.module.css'

/** Only buckets that were created at run time can be removed. */
export function RemoveBucket({ bucket: { name, source } }: { readonly bucket: BucketStatus }) {
  const [isAsked, { open, close }] = useDisclosure(false)
  const [, navigate] = useLocation()
  const { mutate, isPending } = useBucketAction(() => navigate('/files', { replace: true }))
  if (source === 'environment') return null
  return (
    <div className={classes.remove}>
      <Section
        title={bucketsTexts.removal.title}
        actions={
          <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={open}>
            {bucketsTexts.removal.title}
          </Button>
        }
      >
        <Text size="sm" c="dimmed">
          {bucketsTexts.removal.text}
        </Text>
      </Section>
      <Confirm
        isOpen={isAsked}
        title={bucketsTexts.removal.ask(name)}
        action={bucketsTexts.removal.title}
        isBusy={isPending}
        onConfirm={() =>
          mutate(
            { method: 'DELETE', path: `/${name}` },
            { onError: failureOf(bucketsTexts.removal.failure(name)), onSettled: close },
          )
        }
        onClose={close}
      >
        <Rich text={bucketsTexts.removal.question(name)} />
      </Confirm>
    </div>
  )
}
