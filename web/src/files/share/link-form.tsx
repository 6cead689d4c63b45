import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { ShareReply } from '../../../../src/dashboard/shares/share-schemas.ts'
import { QrCodeButton } from '../../shares/qr-code.tsx'
import { newShareDraft, type ShareTarget, shareBodyOf } from '../../shares/share-draft.ts'
import { ShareForm } from '../../shares/share-form.tsx'
import { useCreateShare, useShareUrl } from '../../shares/shares-queries.ts'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { Rich } from '../../texts/rich.tsx'
import { linkEnd } from './link-end.ts'
import { LinkField } from './link-field.tsx'
import { makeThumbnailsOf, type ThumbnailProgress } from './visitor-thumbnails.ts'

interface LinkFormProps {
  readonly target: ShareTarget
  /** What is shared, for labels. */
  readonly name: string
}

/** Creates a link for people without an account. */
export function LinkForm({ target, name }: LinkFormProps) {
  const { mutate, data, isPending, error } = useCreateShare()
  if (data !== undefined) return <MadeLink share={data} name={name} />
  return (
    <ShareForm
      kind={target.kind}
      initial={newShareDraft}
      action={filesDialogsTexts.share.create}
      failure={filesDialogsTexts.share.failure}
      error={error}
      isBusy={isPending}
      onSubmit={(draft) => mutate(shareBodyOf(draft, target, Date.now()))}
    />
  )
}

interface MadeLinkProps {
  readonly share: ShareReply
  readonly name: string
}

function MadeLink({ share, name }: MadeLinkProps) {
  const url = useShareUrl(share)
  if (url === undefined) return null
  return (
    <Stack>
      <LinkField
        label={filesDialogsTexts.share.link}
        what={filesDialogsTexts.share.linkWhat}
        url={url}
      />
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed" role="status">
          {linkEnd(share)} {share.hasPassword && `${filesDialogsTexts.share.sendPassword} `}
          <Rich
            text={filesDialogsTexts.share.where}
            marks={{
              link: (words) => (
                <Anchor component={Link} inherit underline="always" href="/shares">
                  {words}
                </Anchor>
              ),
            }}
          />
        </Text>
        <QrCodeButton url={url} name={name} />
      </Group>
      <Thumbnails share={share} />
    </Stack>
  )
}

/** Visitors see only thumbnails that exist, so this browser makes them. */
function Thumbnails({ share }: { readonly share: ShareReply }) {
  const [progress, setProgress] = useState<ThumbnailProgress>()
  useEffect(() => {
    // If uses are limited, visitors see none.
    if (share.kind === 'drop' || share.maxUses !== null) return
    const ending = new AbortController()
    // Visitors see a drawing of what could not be read.
    void makeThumbnailsOf(share, setProgress, ending.signal).catch(() => undefined)
    return () => ending.abort()
  }, [share])
  if (progress === undefined || progress.done === progress.total) return null
  return (
    <Text size="sm" c="dimmed">
      {filesDialogsTexts.share.thumbnails(progress)}
    </Text>
  )
}
