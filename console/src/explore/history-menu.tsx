// This file lists what the account has sent since the page was opened.
import { Button, Menu, Text } from '@mantine/core';
import { useText } from '../i18n/text.tsx';
import { useHistory } from './history.ts';

export function HistoryMenu({ onChoose }: { readonly onChoose: (text: string) => void }) {
  const text = useText();
  const sent = useHistory();
  return (
    <Menu position="bottom-start" width={360}>
      <Menu.Target>
        <Button variant="default" size="xs" disabled={sent.length === 0}>
          {text('explore.history')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        {sent.map((one) => (
          <Menu.Item key={one.text} onClick={() => onChoose(one.text)}>
            <Text size="xs" ff="monospace" lineClamp={2}>
              {one.text.replace(/\s+/g, ' ')}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
