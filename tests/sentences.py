"""The same sentence in twenty languages, and paragraphs of it."""

# ruff: noqa: RUF001 (letters that look like others)

# Our own sentences, as an abstract might begin.
SENTENCES = {
    "en": "We measured how fast the water in the river warms after the snow has melted.",
    "de": "Wir haben gemessen, wie schnell sich das Wasser im Fluss nach der Schmelze erwärmt.",
    "fr": "Nous avons mesuré la vitesse à laquelle l'eau de la rivière se réchauffe au printemps.",
    "es": "Medimos la rapidez con la que se calienta el agua del río después del deshielo.",
    "it": "Abbiamo misurato quanto velocemente si riscalda l'acqua del fiume dopo il disgelo.",
    "pt": "Medimos a rapidez com que a água do rio aquece depois que a neve derrete nas montanhas.",
    "nl": "Wij hebben gemeten hoe snel het water in de rivier opwarmt na het smelten van sneeuw.",
    "pl": "Zmierzyliśmy, jak szybko ogrzewa się woda w rzece po stopieniu śniegu.",
    "ru": "Мы измерили, как быстро нагревается вода в реке после таяния снега.",
    "uk": "Ми виміряли, як швидко нагрівається вода в річці після танення снігу.",
    "zh": "我们测量了融雪之后河水升温的速度。",
    "ja": "雪が溶けた後に川の水がどれだけ速く温まるかを測定した。",
    "ko": "우리는 눈이 녹은 뒤 강물이 얼마나 빨리 따뜻해지는지 측정했다.",
    "ar": "قمنا بقياس سرعة ارتفاع درجة حرارة ماء النهر بعد ذوبان الثلج.",
    "fa": "ما اندازه گرفتیم که آب رودخانه پس از آب شدن برف با چه سرعتی گرم می‌شود.",
    "el": "Μετρήσαμε πόσο γρήγορα θερμαίνεται το νερό του ποταμού μετά το λιώσιμο του χιονιού.",
    "he": "מדדנו באיזו מהירות מתחממים מי הנהר לאחר הפשרת השלגים.",
    "hi": "हमने मापा कि बर्फ पिघलने के बाद नदी का पानी कितनी तेजी से गर्म होता है।",
    "th": "เราวัดว่าน้ำในแม่น้ำอุ่นขึ้นเร็วเพียงใดหลังจากหิมะละลาย",
    "tr": "Kar eridikten sonra nehirdeki suyun ne kadar hızlı ısındığını ölçtük.",
}


def paragraph(language, characters=600):
    """The sentence again and again, at least so many characters."""
    sentence = SENTENCES[language] + " "
    return (sentence * (1 + characters // len(sentence))).strip()
