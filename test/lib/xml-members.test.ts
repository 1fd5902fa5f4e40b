import { readXmlMembers } from '../../src/lib/xml-members.ts';

describe('the members of an XML answer', () => {
  it('are its elements by local names, with the entities of XML resolved', () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
      <s:Answer xmlns:s="urn:a"><Key id="1">a&amp;b &lt;c&gt;</Key><Empty/><In><Deep> x </Deep></In><Key>later</Key></s:Answer>`;
    expect(readXmlMembers(xml)).toEqual({ Answer: { Key: 'a&b <c>', Empty: '', In: { Deep: 'x' } } });
  });

  it.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['a comment', '<a><!-- b --></a>'],
    ['CDATA', '<a><![CDATA[b]]></a>'],
    ['a tag that is not closed', '<a><b></a>'],
    ['a tag that closes nothing', '<a/></a>'],
    ['two roots', '<a/><b/>'],
    ['text beside the root', '<a/>b'],
    ['no element', 'text'],
    ['nothing', ''],
    ['too many levels', `${'<a>'.repeat(20)}${'</a>'.repeat(20)}`],
    ['too many elements', `<a>${'<b/>'.repeat(2_000)}</a>`],
    ['too many characters', `<a>${' '.repeat(70_000)}</a>`],
  ])('are none of an answer with %s', (_what, xml) => {
    expect(readXmlMembers(xml)).toBeUndefined();
  });

  it('reach no prototype', () => {
    const read = readXmlMembers('<__proto__><polluted>yes</polluted></__proto__>');
    expect(Object.hasOwn(read ?? {}, '__proto__')).toBe(true);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
