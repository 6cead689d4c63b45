import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
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
        title="Remove the bucket"
        actions={
          <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={open}>
            Remove the bucket
          </Button>
        }
      >
        <Text size="sm" c="dimmed">
          Only an empty bucket can be removed.
        </Text>
      </Section>
      <Confirm
        isOpen={isAsked}
        title={`Remove ${name}?`}
        action="Remove the bucket"
        isBusy={isPending}
        onConfirm={() =>
          mutate(
            { method: 'DELETE', path: `/${name}` },
            { onError: failureOf(`${name} could not be removed`), onSettled: close },
          )
        }
        onClose={close}
      >
        The bucket <b>{name}</b> and its empty folder are removed, and open uploads to it are
        aborted. A bucket that is not empty cannot be removed.
      </Confirm>
    </div>
  )
}
