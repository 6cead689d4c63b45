import { Menu } from '@mantine/core'
import {
  IconActivity,
  IconCopy,
  IconDots,
  IconLink,
  IconRefresh,
  IconSettings,
} from '@tabler/icons-react'
import { Link } from 'wouter'
import type { BucketStatus } from '../../../../src/dashboard/management/management-schemas.ts'
import { useStatus } from '../../api/service-queries.ts'
import { bucketsTexts } from '../../texts/buckets.ts'
import { frameTexts } from '../../texts/frame.ts'
import { copyText } from '../../ui/copy/copy-text.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showFailure, showSuccess } from '../../ui/messages.ts'
import { useAction } from '../../ui/use-action.ts'
import { bucketPath } from '../bucket-tabs.tsx'
import { publicAddress } from '../public-address.ts'

const places = [
  { tab: 'settings', label: bucketsTexts.tab.settings, Icon: IconSettings },
  { tab: 'links', label: bucketsTexts.tab.links, Icon: IconLink },
  { tab: 'activity', label: bucketsTexts.tab.activity, Icon: IconActivity },
] as const

/** The pages of a bucket, and what can be done with it. */
export function BucketMenu({ bucket }: { readonly bucket: BucketStatus }) {
  const { name, isPublic, isCounting } = bucket
  const endpoint = useStatus().data?.endpoint
  const { mutate, isPending } = useAction({
    method: 'POST',
    path: `/-/api/buckets/${name}/count`,
    failure: bucketsTexts.menu.countFailure(name),
    refreshes: 'buckets',
  })
  const copy = async (text: string) => {
    if (await copyText(text)) showSuccess(bucketsTexts.menu.copied)
    else showFailure(bucketsTexts.menu.notAllowed, text)
  }
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <IconButton label={frameTexts.moreFor(name)}>
          <IconDots size={16} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {places.map(({ tab, label, Icon }) => (
          <Menu.Item
            key={tab}
            component={Link}
            href={bucketPath(name, tab)}
            leftSection={<Icon size={16} />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {isPublic && endpoint !== undefined && (
          <Menu.Item
            leftSection={<IconCopy size={16} />}
            onClick={() => void copy(publicAddress(endpoint, name))}
          >
            {bucketsTexts.menu.copy}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconRefresh size={16} />}
          disabled={isPending || isCounting}
          onClick={() => mutate()}
        >
          {bucketsTexts.menu.count}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
