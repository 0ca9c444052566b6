// This file copies the request as code, as its URL, or as a link to the explorer.
import { Button, Menu } from '@mantine/core';
import { urlOf } from '../api/client.ts';
import { CONSOLE_ROOT } from '../app/place.ts';
import { copyText } from '../components/copy-text.ts';
import { showToast } from '../components/toasts.tsx';
import { type TextName, useText } from '../i18n/text.tsx';
import { type CodeLanguage, codeFor, LANGUAGES_OF_CODE } from '../query/code.ts';
import { printRequest, type RequestParts, requestUrl } from '../query/request-text.ts';

const NAMES: Readonly<Record<CodeLanguage, string>> = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  powerquery: 'Power Query M',
};

export function CopyMenu({ parts }: { readonly parts: RequestParts }) {
  const text = useText();
  const url = new URL(urlOf(requestUrl(parts)), location.href).href;
  const copy = async (content: string) => {
    const isCopied = await copyText(content);
    const name: TextName = isCopied ? 'common.copied' : 'explore.notCopied';
    showToast({ kind: isCopied ? 'result' : 'failure', text: text(name) });
  };
  const link = `${location.origin}${CONSOLE_ROOT}/explore?${new URLSearchParams({ request: printRequest(parts) })}`;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" size="xs">
          {text('explore.copyAs')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES_OF_CODE.map((language) => {
          const code = codeFor(language, { method: parts.method, url, body: parts.body });
          return (
            <Menu.Item
              key={language}
              disabled={code === undefined}
              onClick={() => void copy(code ?? '')}
            >
              {NAMES[language]}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Item onClick={() => void copy(url)}>{text('explore.url')}</Menu.Item>
        <Menu.Item onClick={() => void copy(link)}>{text('explore.link')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
