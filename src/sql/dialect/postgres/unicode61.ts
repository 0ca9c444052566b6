// This file contains the Unicode data of the unicode61 tokenizer of SQLite's FTS5 with remove_diacritics=2, for characters outside ASCII.
// A test compares it with SQLite for every code point.

/** Letters that the tokenizer folds, and at the same positions what it folds them to: lower case without diacritics. */
export const FOLDED_LETTERS = [
  'ÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǺǻȀȁȂȃȦȧḀḁẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặÅḂḃḄḅḆḇÇçĆćĈĉĊċČčḈḉĎďḊḋḌḍḎḏḐḑḒḓÈÉÊËèéêëĒēĔĕĖ',
  'ėĘęĚěȄȅȆȇȨȩḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệḞḟĜĝĞğĠġĢģǦǧǴǵḠḡĤĥȞȟḢḣḤḥḦḧḨḩḪḫẖÌÍÎÏìíîïĨĩĪīĬĭĮįİǏǐȈȉȊȋḬḭḮḯỈỉỊịĴ',
  'ĵǰĶķǨǩḰḱḲḳḴḵKĹĺĻļĽľḶḷḸḹḺḻḼḽḾḿṀṁṂṃÑñŃńŅņŇňǸǹṄṅṆṇṈṉṊṋÒÓÔÕÖòóôõöŌōŎŏŐőƠơǑǒǪǫǬǭȌȍȎȏȪȫȬȭȮȯȰȱṌṍṎṏṐṑṒṓỌọỎỏỐ',
  'ốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợṔṕṖṗŔŕŖŗŘřȐȑȒȓṘṙṚṛṜṝṞṟŚśŜŝŞşŠšſȘșṠṡṢṣṤṥṦṧṨṩẛŢţŤťȚțṪṫṬṭṮṯṰṱẗÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯư',
  'ǓǔǕǖǗǘǙǚǛǜȔȕȖȗṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰựṼṽṾṿŴŵẀẁẂẃẄẅẆẇẈẉẘẊẋẌẍÝýÿŶŷŸȲȳẎẏẙỲỳỴỵỶỷỸỹŹźŻżŽžẐẑẒẓẔẕẞÆÐØÞĐĦĲĿŁ',
  'ŊŒŦɃƂƄƇƋƑǶƘȽȠƢƤƧƬƳƵƸƼǷǄǅǇǈǊǋƎǠǢǤǮǱǲǼǾȜȢȤȻⱾⱿɁɆɈɊɌɎⱯⱭⱰƁƆƉƊƏƐƓƔꞍꞪƗƖⱢƜⱮƝƟⱤƦƩƮɄƱƲɅƷͰͲͶϽϾϿΆΈΉΊΑΒϐΓΔΕϵΖΗΘϑϴ',
  'ΙιΚϰΛµΜΝΞΟΠϖΡϱΣςΤΥΦϕΧΨΩΩΪΫΌΎΏϏϘϚϜϞϠϢϤϦϨϪϬϮϹϷϺАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏѠѢѤѦѨѪѬ',
  'ѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӁӃӅӇӉӋӍӀӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԱԲԳԴԵԶԷԸԹԺԻ',
  'ԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖꝽⱣỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾺΆῈΈῊΉῚΊῸΌῪΎῺΏᾈᾉᾊᾋᾌᾍ',
  'ᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾼῌῘῙῨῩῬῼℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⱠȺȾⱧⱩⱫⱲ',
  'ⱵⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍꙀꙂꙄꙆꙈꙊ',
  'ꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝾꞀꞂꞄꞆꞋꞐꞒꞠꞢꞤꞦꞨＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲ',
  'ＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧',
].join('');

export const LETTERS_AFTER_FOLDING = [
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbccccccccccccddddddddddddeeeeeeeeeeeee',
  'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeffgggggggggggggghhhhhhhhhhhhhhhiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiij',
  'jjkkkkkkkkkkkllllllllllllllmmmmmmnnnnnnnnnnnnnnnnnnooooooooooooooooooooooooooooooooooooooooooooooooo',
  'ooooooooooooooooooopppprrrrrrrrrrrrrrrrrrsssssssssssssssssssssstttttttttttttttuuuuuuuuuuuuuuuuuuuuuu',
  'uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuvvvvwwwwwwwwwwwwwxxxxyyyyyyyyyyyyyyyyyyyzzzzzzzzzzzzßæðøþđħĳŀł',
  'ŋœŧƀƃƅƈƌƒƕƙƚƞƣƥƨƭƴƶƹƽƿǆǆǉǉǌǌǝǡǣǥǯǳǳǽǿȝȣȥȼȿɀɂɇɉɋɍɏɐɑɒɓɔɖɗəɛɠɣɥɦɨɩɫɯɱɲɵɽʀʃʈʉʊʋʌʒͱͳͷͻͼͽάέήίαββγδεεζηθθθ',
  'ιικκλμμνξοππρρσστυφφχψωωϊϋόύώϗϙϛϝϟϡϣϥϧϩϫϭϯϲϸϻабвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџѡѣѥѧѩѫѭ',
  'ѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӂӄӆӈӊӌӎӏӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧաբգդեզէըթժի',
  'լխծկհձղճմյնշոչպջռսվտրցւփքօֆᵹᵽỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧὰάὲέὴήὶίὸόὺύὼώᾀᾁᾂᾃᾄᾅ',
  'ᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱᾳῃῐῑῠῡῥῳⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱡⱥⱦⱨⱪⱬⱳ',
  'ⱶⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꙁꙃꙅꙇꙉꙋ',
  'ꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼꝿꞁꞃꞅꞇꞌꞑꞓꞡꞣꞥꞧꞩａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒ',
  'ｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏',
].join('');

/** Combining diacritics, which the tokenizer removes. */
export const DIACRITICS =
  '\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331';

/** Code points where ranges of word characters start and end, in turn, in hexadecimal digits. All other characters separate words. */
export const WORD_RANGES = `
aa ab b2 b4 b5 b6 b9 bb bc bf c0 d7 d8 f7 f8 2c2 2c6 2d2 2e0 2e5 2ec 2ed 2ee 2ef 370 375 376 37e 37f 384 386 387 388 3f6
3f7 482 48a 55a 560 589 58b 58f 590 591 5c8 5f3 5f5 600 605 606 61c 61e 620 64b 660 66a 66e 670 671 6d4 6d5 6d6 6e5 6e7
6ee 6fd 6ff 700 70e 70f 710 711 712 730 74b 7a6 7b1 7eb 7f4 7f6 7fa 816 81a 81b 824 825 828 829 82e 830 83f 859 85c 85e
85f 8e4 8ff 900 904 93a 93d 93e 950 951 958 962 966 970 971 981 984 9bc 9bd 9be 9c5 9c7 9c9 9cb 9ce 9d7 9d8 9e2 9e4 9f2
9f4 9fa 9fc a01 a04 a3c a3d a3e a43 a47 a49 a4b a4e a51 a52 a70 a72 a75 a76 a81 a84 abc abd abe ac6 ac7 aca acb ace ae2
ae4 af0 af2 b01 b04 b3c b3d b3e b45 b47 b49 b4b b4e b56 b58 b62 b64 b70 b71 b82 b83 bbe bc3 bc6 bc9 bca bce bd7 bd8 bf3
bfb c01 c04 c3e c45 c46 c49 c4a c4e c55 c57 c62 c64 c7f c80 c82 c84 cbc cbd cbe cc5 cc6 cc9 cca cce cd5 cd7 ce2 ce4 d02
d04 d3e d45 d46 d49 d4a d4e d57 d58 d62 d64 d79 d7a d82 d84 dca dcb dcf dd5 dd6 dd7 dd8 de0 df2 df5 e31 e32 e34 e3b e3f
e40 e47 e50 e5a e5c eb1 eb2 eb4 eba ebb ebd ec8 ece f01 f20 f34 f40 f71 f88 f8d f98 f99 fbd fbe fcd fce fdb 102b 103f 104a
1050 1056 105a 105e 1061 1062 1065 1067 106e 1071 1075 1082 108e 108f 1090 109a 10a0 10fb 10fc 135d 1369 1390 139a 1400
1401 166d 166f 1680 1681 169b 169d 16eb 16ee 1712 1715 1732 1737 1752 1754 1772 1774 17b4 17d7 17d8 17dc 17dd 17de 1800
180f 18a9 18aa 1920 192c 1930 193c 1940 1941 1944 1946 19b0 19c1 19c8 19ca 19de 1a00 1a17 1a1c 1a1e 1a20 1a55 1a5f 1a60
1a7d 1a7f 1a80 1aa0 1aa7 1aa8 1aae 1b00 1b05 1b34 1b45 1b5a 1b7d 1b80 1b83 1ba1 1bae 1be6 1bf4 1bfc 1c00 1c24 1c38 1c3b
1c40 1c7e 1c80 1cc0 1cc8 1cd0 1ce9 1ced 1cee 1cf2 1cf5 1dc0 1de7 1dfc 1e00 1fbd 1fbe 1fbf 1fc2 1fcd 1fd0 1fdd 1fe0 1fed
1ff0 1ffd 1fff 2000 2065 206a 2070 207a 207f 208a 208f 20a0 20ba 20d0 20f1 2100 2102 2103 2107 2108 210a 2114 2115 2116
2119 211e 2124 2125 2126 2127 2128 2129 212a 212e 212f 213a 213c 2140 2145 214a 214e 214f 2150 2190 23f4 2400 2427 2440
244b 249c 24ea 2500 2700 2701 2776 2794 2b4d 2b50 2b5a 2ce5 2ceb 2cef 2cf2 2cf9 2cfd 2cfe 2d00 2d70 2d71 2d7f 2d80 2de0
2e2f 2e30 2e3c 2e80 2e9a 2e9b 2ef4 2f00 2fd6 2ff0 2ffc 3000 3005 3008 3021 302a 3031 3036 3038 303d 3040 3099 309d 30a0
30a1 30fb 30fc 3190 3192 3196 31a0 31c0 31e4 3200 321f 322a 3248 3250 3251 3260 3280 328a 32b1 32c0 32ff 3300 3400 4dc0
4e00 a490 a4c7 a4fe a500 a60d a610 a66f a67f a69f a6a0 a6f0 a6f8 a700 a717 a720 a722 a789 a78b a802 a803 a806 a807 a80b
a80c a823 a82c a836 a83a a874 a878 a880 a882 a8b4 a8c5 a8ce a8d0 a8e0 a8f2 a8f8 a8fb a926 a930 a947 a954 a95f a960 a980
a984 a9b3 a9ce a9de a9e0 aa29 aa37 aa43 aa44 aa4c aa4e aa5c aa60 aa77 aa7a aa7b aa7c aab0 aab1 aab2 aab5 aab7 aab9 aabe
aac0 aac1 aac2 aade aae0 aaeb aaf2 aaf5 aaf7 abe3 abee d800 e000 fb1e fb1f fb29 fb2a fbb2 fbc2 fd3e fd40 fdfc fdfe fe00
fe1a fe20 fe27 fe30 fe53 fe54 fe67 fe68 fe6c feff ff00 ff01 ff10 ff1a ff21 ff3b ff41 ff5b ff66 ffe0 ffe7 ffe8 ffef fff9
10000 10100 10103 10137 10140 10179 1018a 10190 1019c 101d0 101fe 1039f 103a0 103d0 103d1 10857 10858 1091f 10920 1093f
10940 10a01 10a04 10a05 10a07 10a0c 10a10 10a38 10a3b 10a3f 10a40 10a50 10a59 10a7f 10a80 10b39 10b40 11000 11003 11038
1104e 11080 11083 110b0 110c2 11100 11103 11127 11135 11140 11144 11180 11183 111b3 111c1 111c5 111c9 116ab 116b8 12470
12474 16f51 16f7f 16f8f 16f93 1d000 1d0f6 1d100 1d127 1d129 1d1de 1d200 1d246 1d300 1d357 1d6c1 1d6c2 1d6db 1d6dc 1d6fb
1d6fc 1d715 1d716 1d735 1d736 1d74f 1d750 1d76f 1d770 1d789 1d78a 1d7a9 1d7aa 1d7c3 1d7c4 1eef0 1eef2 1f000 1f02c 1f030
1f094 1f0a0 1f0af 1f0b1 1f0bf 1f0c1 1f0d0 1f0d1 1f0e0 1f110 1f12f 1f130 1f16c 1f170 1f19b 1f1e6 1f203 1f210 1f23b 1f240
1f249 1f250 1f252 1f300 1f321 1f330 1f336 1f337 1f37d 1f380 1f394 1f3a0 1f3c5 1f3c6 1f3cb 1f3e0 1f3f1 1f400 1f43f 1f440
1f441 1f442 1f4f8 1f4f9 1f4fd 1f500 1f53e 1f540 1f544 1f550 1f568 1f5fb 1f641 1f645 1f650 1f680 1f6c6 1f700 1f774 e0001
e0002 e0020 e0080 e0100 e01f0 110000`
  .trim()
  .split(/\s/)
  .map((digits) => Number.parseInt(digits, 16));

/** Shorter ranges would make the expression longer than they make the replacement faster. */
const SHORTEST_RANGE = 8;

/** Ranges of characters that the tokenizer does not change, for a bracket expression; ASCII is included. */
export const UNCHANGED_LETTERS = unchangedRanges()
  .map((ends) => ends.map((end) => `\\U${end.toString(16).padStart(8, '0')}`).join('-'))
  .join('');

function unchangedRanges(): readonly (readonly number[])[] {
  const folded = [...FOLDED_LETTERS].map((letter) => letter.codePointAt(0) ?? 0);
  const cuts = folded.toSorted((left, right) => left - right);
  const ranges: [number, number][] = [[1, 127]];
  let next = 0;
  for (let at = 0; at + 1 < WORD_RANGES.length; at += 2) {
    const end = WORD_RANGES[at + 1] ?? 0;
    let start = WORD_RANGES[at] ?? 0;
    while (start < end) {
      while ((cuts[next] ?? end) < start) next++;
      const cut = Math.min(cuts[next] ?? end, end);
      if (cut - start >= SHORTEST_RANGE) ranges.push([start, cut - 1]);
      start = cut + 1;
    }
  }
  return ranges;
}
